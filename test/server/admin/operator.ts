import { mkdirSync, rmSync } from 'node:fs';
import { pino } from 'pino';
import { readConfig } from '../../../server/config/config.js';
import type { Claims } from '../../../server/domain/claims.js';
import { createLedger } from '../../../server/ledger/server-ledger.js';
import { serve, type Serving } from '../../../server/serve.js';
import { feedRow, writeFeed } from '../../support/feed.js';
import { runCommand } from '../../support/indexer-command.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import path from 'node:path';

export const TOKEN = 'a-token-of-the-tests';
/** A name with markup, as an attacker might use. */
export const HOSTILE = `<script>alert('x')</script>"&`;

export interface Operator {
  readonly serving: Serving;
  readonly folder: string;
  readonly dataDir: string;
  readonly logged: Record<string, unknown>[];
  /** Fetches a path below the base URL with the session's cookie, without following redirects. */
  get(place: string, headers?: Record<string, string>): Promise<Response>;
  /** Sends a form with the session's cookie and token. */
  send(place: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  /** Sends a form without cookie and token. */
  sendBare(place: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  /** Returns a page's HTML. Fails if the status is not 200. */
  page(place: string): Promise<string>;
  /** Signs in, with ADMIN_TOKEN unless another access token is given. */
  signIn(token?: string): Promise<void>;
  readonly cookie: string;
  close(): Promise<void>;
}

export interface OperatorOptions {
  readonly settings?: Record<string, string>;
  readonly clock?: () => number;
  /** Feeds to index before the start, one snapshot each. */
  readonly feeds?: readonly (readonly unknown[])[];
  /** Decisions and events before the start. */
  readonly past?: readonly Past[];
}

/** A decision and, if it has an ad, the given events. */
export interface Past {
  readonly at: number;
  readonly claims: Partial<Claims> & { readonly publisher: string };
  readonly kinds: readonly ('impression' | 'view' | 'click')[];
  readonly noFill?: 'below-floor' | 'sensitive';
  /** Language of the conversation. */
  readonly language?: string;
}

/** Starts a whole server as `npm start` does, in its own directory, with an operator who uses its dashboard. */
export async function startOperator(options: OperatorOptions = {}): Promise<Operator> {
  const folder = temporaryDirectory();
  const dataDir = path.join(folder, 'data');
  mkdirSync(dataDir);
  for (const [place, rows] of (options.feeds ?? []).entries()) {
    const ended = await runCommand('main', dataDir, writeFeed(folder, rows, `feed-${place}.jsonl`), '--allow-shrink');
    if (ended.code !== 0) throw new Error(ended.stderr + ended.stdout);
  }
  if (options.past !== undefined) await happened(dataDir, options.past, options);
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const config = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    ADMIN_TOKEN: TOKEN,
    PROFILE: 'fast',
    WORKERS: '1',
    ...options.settings,
  });
  const serving = await serve({ config, log, clock: options.clock ?? Date.now });
  // The server is reached at this address, whatever its public base URL is.
  const base = `http://127.0.0.1:${serving.port}${new URL(serving.baseUrl).pathname.replace(/\/$/, '')}`;
  let cookie = '';
  let formToken = '';

  const get = (place: string, headers: Record<string, string> = {}) =>
    fetch(base + place, { redirect: 'manual', headers: { ...(cookie === '' ? {} : { cookie }), ...headers } });
  const post = (place: string, fields: Record<string, string>, headers: Record<string, string>) =>
    fetch(base + place, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields), headers });
  const page = async (place: string): Promise<string> => {
    const answer = await get(place);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${place} answers ${answer.status}: ${text}`);
    return text;
  };
  return {
    serving,
    folder,
    dataDir,
    logged,
    get,
    page,
    send: (place, fields, headers = {}) => post(place, { formToken, ...fields }, { cookie, ...headers }),
    sendBare: (place, fields, headers = {}) => post(place, fields, headers),
    get cookie() {
      return cookie;
    },
    async signIn(token = TOKEN) {
      const answer = await post('/admin/sign-in', { token }, {});
      if (answer.status !== 303) throw new Error(`signing in answers ${answer.status}`);
      cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
      // Advertisers and publishers have one page.
      const form = answer.headers.get('location')?.endsWith('/own') === true ? '/admin/own' : '/admin/explain';
      formToken = /name="formToken" value="([^"]+)"/.exec(await page(form))?.[1] ?? '';
    },
    async close() {
      await serving.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Writes decisions and events through the ledger's own functions. */
async function happened(
  dataDir: string,
  past: readonly Past[],
  { clock = Date.now, settings = {} }: OperatorOptions,
): Promise<void> {
  const file = path.join(dataDir, 'ledger.sqlite');
  const { CURRENCY: currency = 'USD', TIME_ZONE: timeZone = 'UTC' } = settings;
  const ledger = await createLedger({ database: { file }, currency, timeZone, clock });
  let next = 0;
  const events = past.flatMap(({ at, kinds, noFill, language = 'en', claims: given }) => {
    const claims = testClaims({ ...BOOTS, ...given, issuedAt: at });
    const { publisher, test, creative, campaign, advertiser } = claims;
    const filled = { filled: true as const, creative, campaign, advertiser };
    ledger.countDecision({
      publisher,
      test,
      at,
      language,
      result: noFill ? { filled: false, reason: noFill } : filled,
    });
    const id = testDigest(next++);
    return kinds.map((kind) => ledger.record({ kind, id, claims, at }));
  });
  await Promise.all(events);
  await ledger.close();
}

const BOOTS = {
  publisher: 'Chat',
  creative: 'boots',
  campaign: 'autumn',
  advertiser: 'Fellwalk',
  pricing: { model: 'cpm' as const, micros: 2_345_000 },
};

/** Three creatives: one of a campaign with a budget, one with a hostile name. */
export const ROWS = [
  feedRow('boots', {
    name: 'Fellwalk Boots',
    advertiser: 'Fellwalk',
    campaign: 'autumn',
    budgetMicros: 10_000_000,
    text: 'Waterproof hiking boots for long days in the hills.',
    pricing: { model: 'cpm', micros: 2_345_000 },
  }),
  feedRow('hostile', { name: HOSTILE, text: `${HOSTILE} sells garden tools.`, advertiser: HOSTILE }),
  feedRow('tea', { name: 'Tea of the Month', text: 'A parcel of green tea every month.' }),
];

/** Returns two weeks of events of two publishers, ending now. */
export function fortnight(now: number): Past[] {
  return Array.from({ length: 120 }, (_, number) => ({
    at: now - number * 2.8 * 3_600_000,
    claims: {
      publisher: number % 3 === 0 ? HOSTILE : 'Chat',
      creative: number % 4 === 0 ? 'tea' : 'boots',
      ...(number % 4 === 0
        ? { campaign: null, advertiser: null, pricing: { model: 'cpc' as const, micros: 123_457 } }
        : {}),
    },
    ...(number % 12 === 1 ? { language: 'de' } : {}),
    kinds: number % 10 === 0 ? (['impression', 'view', 'click'] as const) : (['impression'] as const),
    ...(number % 7 === 0 ? { noFill: 'below-floor' as const, kinds: [] } : {}),
  }));
}
