import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { Creative } from '../../../models/schema/creative.js';
import { type AppOptions, createApp } from '../../../server/http/app.js';
import { createAdmission } from '../../../server/decide/admission.js';
import type { Decide } from '../../../server/domain/decision.js';
import type { CountEventOptions } from '../../../server/events/count-event.js';
import { testCountEvent } from '../../support/test-count-event.js';
import { openHttpServer } from '../../../server/http/http-server.js';
import { createKey, type NewKey } from '../../../server/keys/key-operations.js';
import { keyStore } from '../../../server/keys/key-file.js';
import { openKeys } from '../../../server/keys/verify-key.js';
import { createLedger } from '../../../server/ledger/server-ledger.js';
import { createMetrics } from '../../../server/operation/metrics.js';
import { createRequestIds } from '../../../server/request-id/request-ids.js';
import { openSigningKeys } from '../../../server/request-id/signing-key-file.js';
import { API } from '../../../server/domain/urls.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { DAY } from '../../../platform/time/durations.js';

export const boots: Creative = {
  id: 'boots-1',
  name: 'Fellwalk Boots',
  text: 'Waterproof boots for long days in the hills.',
  landingUrl: 'https://boots.example/fellwalk?colour=braun',
  imageFile: `${'ab'.repeat(32)}.png`,
  advertiser: 'Fellwalk',
  campaign: 'autumn',
  categories: ['outdoor'],
  startsAt: null,
  endsAt: null,
  pricing: { model: 'cpc', micros: 250_000 },
  budgetMicros: null,
  dailyBudgetMicros: null,
  frequencyCap: null,
};

export interface Service {
  readonly baseUrl: string;
  readonly dataDir: string;
  /** A live key for any origin. */
  readonly key: string;
  readonly logged: Record<string, unknown>[];
  /** Creates another key in the file that the service follows. */
  storeNewKey(wishes?: Partial<NewKey>): Promise<string>;
  match(body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Fetches a path below the API prefix, without following redirects. */
  api(path: string, init?: RequestInit): Promise<Response>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Returns a counter's value in `/metrics`; 0 if it is missing. */
  metric(line: string): Promise<number>;
  close(): Promise<void>;
}

export interface ServiceOptions extends Partial<Omit<AppOptions, 'baseUrl'>> {
  /** Path of the base URL. */
  readonly path?: string;
  /** Options that decide which events count, besides the windows. */
  readonly judging?: Partial<CountEventOptions>;
}

/**
 * Starts the service's complete HTTP side on a real port, with a real ledger, real request ids and a real key file.
 * Decisions are given: these tests are about the responses that follow from them.
 */
export async function startService({ path = '', judging, ...overrides }: ServiceOptions = {}): Promise<Service> {
  const dataDir = temporaryDirectory();
  mkdirSync(join(dataDir, 'images'));
  const clock = overrides.clock ?? Date.now;
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const store = keyStore(dataDir);
  const storeNewKey = async (wishes: Partial<NewKey> = {}) => {
    const whole = { publisher: 'Chat', test: false, origins: [], requestsPerMinute: null, expiresAt: null, ...wishes };
    return (await store.change((file) => createKey(file, whole, Date.now()))).key;
  };
  const key = await storeNewKey();
  const keys = await openKeys({ store, clock, log, pollMs: 50 });
  const ledger = await createLedger({
    database: { file: join(dataDir, 'ledger.sqlite') },
    currency: 'USD',
    timeZone: 'UTC',
  });
  const requestIds = createRequestIds(await openSigningKeys(dataDir, clock(), 30 * DAY));
  const countEvent = testCountEvent({
    requestIds,
    ledger,
    windows: { impressionWindowMs: DAY, clickWindowMs: 30 * DAY },
    ...judging,
  });
  const server = await openHttpServer(0, '127.0.0.1');
  const baseUrl = `http://127.0.0.1:${server.port}${path}`;
  const app = createApp({
    baseUrl,
    trustProxy: 0,
    maxBodyBytes: 256 * 1024,
    countryHeader: null,
    keys,
    decide: answerBoots,
    admission: createAdmission(4),
    requestIds,
    ledger,
    countEvent,
    creatives: { landingUrl: (id) => (id === boots.id ? boots.landingUrl : null) },
    takedowns: { has: () => false, hasImage: () => false },
    readiness: [],
    imagesDir: join(dataDir, 'images'),
    scriptDir: fileURLToPath(new URL('../../../sdk/public/', import.meta.url)),
    keptScriptsDir: join(dataDir, 'sdk'),
    demo: null,
    dashboard: null,
    adminApi: null,
    metrics: createMetrics(() => ({ requests: 3, texts: 5 })),
    log,
    clock,
    ...overrides,
  });
  server.handle(app.callback());

  const get = (place: string, init?: RequestInit) => fetch(baseUrl + place, { redirect: 'manual', ...init });
  return {
    baseUrl,
    dataDir,
    key,
    logged,
    storeNewKey,
    match: (body, headers = {}) =>
      get(`${API}/match`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    api: (place, init) => get(API + place, init),
    fetch: get,
    async metric(line) {
      const page = await (await get('/metrics')).text();
      const found = page.split('\n').find((each) => each.startsWith(`${line} `));
      return Number(found?.slice(line.length + 1) ?? 0);
    },
    async close() {
      await server.drain(0, 1000);
      await keys.close();
      await ledger.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

const answerBoots: Decide = async () => ({ filled: true, creative: boots, score: 0.82 });
