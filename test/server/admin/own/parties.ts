import { setTimeout as pause } from 'node:timers/promises';
import { runCommand } from '../../../../platform/command-line/run-command.js';
import { access as command } from '../../../../server/commands/access/command.js';
import type { Claims } from '../../../../server/domain/claims.js';
import { closeMonth } from '../../../../server/invoice/close-month.js';
import { openForWriting } from '../../../../server/ledger/database.js';
import { testClaims, testDigest } from '../../../support/test-claims.js';
import { type StoreName, temporaryLedgerIn } from '../../ledger/temporary-ledger.js';
import { type Operator, startOperator } from '../operator.js';

export const NOW = Date.parse('2026-11-21T20:00:00Z');

/** Names that differ from others only in what people do not see, or hardly. */
export const ADVERTISERS = ['Hill & Dale', 'HILL & DALE', 'Hill &  Dale', 'Hill \uff06 Dale', 'Rival Inc', 'Elsewhere'];
export const PUBLISHERS = ['Garden Forum', 'garden forum', 'Garden\u00a0Forum', 'Rival Chat'];

/** Something that happened to an ad: each was decided, loaded and billed, and every third clicked. */
export interface Happened {
  readonly claims: Claims;
  readonly at: number;
  readonly isClicked: boolean;
}

/** Returns the events of seven weeks: each advertiser on each publisher, except Elsewhere, which was on Rival Chat only. */
export function everything(): Happened[] {
  return PUBLISHERS.flatMap((publisher, place) =>
    ADVERTISERS.flatMap((advertiser, number) =>
      advertiser === 'Elsewhere' && publisher !== 'Rival Chat'
        ? []
        : [0, 1, 2, 3, 4].map((time) => ({
            claims: testClaims({
              publisher,
              advertiser,
              // One name for the campaigns of all, and one of each.
              campaign: time % 2 === 0 ? 'autumn' : `plan-${number}`,
              creative: `ad-${number}-${time % 3}`,
              pricing: { model: 'cpm', micros: 1_000_000 * (1000 + 17 * number + place) },
              test: time === 4,
            }),
            at: NOW - 86_400_000 * (time * 11 + place) - number,
            isClicked: (number + place + time) % 3 === 0,
          })),
    ),
  );
}

/** Everything below the dashboard's address that is an advertiser's or publisher's. */
export const OWN = ['/own', '/own.csv', '/own/invoice', '/api/own', '/api/own/invoices', '/api/own/invoice'];

/** Decodes what HTML and JSON escape in these names. */
export function readable(text: string): string {
  return text
    .replaceAll('&amp;', '&')
    .replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** A server with these events, whose months up to October are closed for two advertisers. */
export interface Parties {
  readonly operator: Operator;
  readonly happened: readonly Happened[];
  /** Tokens of the advertiser Hill & Dale and of the publisher Garden Forum. */
  readonly ana: string;
  readonly pablo: string;
  /** What only others may read than the holder of a token. */
  secretsOf(token: string): string[];
  /** Runs `npm run access`, and waits until the server knows. @returns the last line */
  access(...argv: string[]): Promise<string>;
  /** Requests an address below the dashboard's with a token as bearer. */
  bearer(token: string, place: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export async function startParties(store: StoreName): Promise<Parties> {
  const temporary = await temporaryLedgerIn(store);
  const ledger = await temporary.open({ clock: () => NOW });
  const happened = everything();
  let next = 0;
  await Promise.all(
    happened.flatMap(({ claims, at, isClicked }) => {
      const { publisher, test, creative, campaign, advertiser } = claims;
      const result = { filled: true as const, creative, campaign, advertiser };
      ledger.countDecision({ publisher, test, at, language: 'en', result });
      ledger.countDecision({ publisher, test, at, language: 'en', result: { filled: false, reason: 'below-floor' } });
      const id = testDigest(next++);
      const kinds = isClicked ? (['impression', 'click'] as const) : (['impression'] as const);
      return kinds.map((kind) => ledger.record({ kind, id, claims, at }));
    }),
  );
  await ledger.close();
  const database = openForWriting(temporary.location, 1000);
  for (const advertiser of ['Rival Inc', 'Hill & Dale'])
    closeMonth(database, advertiser, 202610, { currency: 'USD', timeZone: 'UTC' }, NOW);
  database.close();
  const operator = await startOperator({
    settings: { DATA_DIR: temporary.dataDir, ...temporary.env },
    clock: () => NOW,
  });
  const bearer = (token: string, place: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${operator.serving.port}/admin${place}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
    });
  const access: Parties['access'] = async (...argv) => {
    let [out, err] = ['', ''];
    const { DATABASE_URL } = temporary.env;
    const place = ['--data-dir', temporary.dataDir, ...(DATABASE_URL ? ['--database-url', DATABASE_URL] : [])];
    const output = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
    if ((await runCommand(command, [...argv, ...place], output)) !== 0) throw new Error(err);
    await pause(2500);
    return out.trimEnd().split('\n').at(-1)!;
  };
  const ana = await access('create', '--name', 'Ana', '--role', 'advertiser', '--advertiser', 'Hill & Dale');
  const pablo = await access('create', '--name', 'Pablo', '--role', 'publisher', '--publisher', 'Garden Forum');
  return {
    operator,
    happened,
    ana,
    pablo,
    bearer,
    access,
    secretsOf: (token) =>
      token === ana
        ? [
            ...PUBLISHERS,
            ...ADVERTISERS.filter((name) => name !== 'Hill & Dale'),
            ...[1, 2, 3, 4, 5].flatMap((number) => [`plan-${number}`, `ad-${number}-`]),
          ]
        : [...PUBLISHERS.filter((name) => name !== 'Garden Forum'), 'Elsewhere', 'autumn', 'plan-', 'ad-5-', 'USD'],
    async close() {
      await operator.close();
      await temporary.remove();
    },
  };
}
