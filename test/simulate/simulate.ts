import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../server/config/config.js';
import { LEDGER_FILE, openForReading } from '../../server/ledger/database.js';
import { createRequestIds } from '../../server/request-id/request-ids.js';
import { openSigningKeys } from '../../server/request-id/signing-key-file.js';
import { verifyingWindowMs } from '../../server/request-id/stored-signing-keys.js';
import { randomNumbers } from '../support/plausible-month.js';
import { firstDifference, openingPages, totals } from './agreement.js';
import type { SimulateArguments } from './arguments.js';
import { createBooks, type Books } from './books.js';
import { drive } from './drive.js';
import { fillLedger } from './fill-ledger.js';
import { people } from './people.js';
import { installation, prepare, setCampaigns } from './prepare.js';
import { sampleTerms } from './terms.js';

export interface Simulated {
  readonly books: Books;
  /** Each figure's name, its value in the books, and its value in the report. */
  readonly totals: readonly (readonly [string, number, number])[];
  /** Null if books and report agree. */
  readonly difference: string | null;
}

/** Counters are flushed every second, so a running server has flushed them by then. */
const FLUSHED_MS = 2500;
/** A server reads changes made by commands within a second; a busy machine gets two more. */
const FOLLOWED_MS = 3000;
const PROGRESS_EVERY_MS = 15_000;

/**
 * Drives a server with simulated people, fills a month around their acts, and compares the books with the report.
 *
 * @param print receives progress messages, one line each
 */
export async function simulate(
  wanted: SimulateArguments,
  config: Config,
  print: (line: string) => void,
): Promise<Simulated> {
  const { dataDir } = config;
  const file = join(dataDir, LEDGER_FILE);
  const adjacent = installation(wanted, config);
  const books = createBooks(config.timeZone);
  const progress = setInterval(() => print(`  ${books.events} events so far`), PROGRESS_EVERY_MS);
  try {
    const keys = await prepare(adjacent, wanted, config);
    const free = sampleTerms(null);
    const limited = sampleTerms(Math.max(1000, wanted.events / wanted.days));
    await setCampaigns(adjacent, free.commands);
    if (wanted.url !== undefined) await pause(FLUSHED_MS);
    reading(file, (database) => {
      for (const page of openingPages(database, config)) books.open(page);
    });
    const served = wanted.url === undefined ? await adjacent.serve() : null;
    // By number, because `localhost` may resolve to two addresses, and one client would count as two.
    const origin = wanted.url ?? served!.origin.replace('localhost', '127.0.0.1');
    print(`driving ${origin} with ${wanted.decisions} decisions`);
    const settings = { given: config.signingKeys, installation: config.installation };
    const signing = await openSigningKeys(dataDir, Date.now(), verifyingWindowMs(config), settings);
    const sessions = people(wanted.decisions, randomNumbers(wanted.seed));
    const half = Math.ceil(sessions.length / 2);
    const options = { origin, keys, books, windows: config, seed: wanted.seed, requestIds: createRequestIds(signing) };
    // No budgets at first: the month repeats these responses, which must not be shaped by today's budgets.
    const [answers, freely] = await seconds(() => drive(sessions.slice(0, half), { ...options, terms: free.terms }));
    await setCampaigns(adjacent, limited.commands);
    await pause(FOLLOWED_MS);
    const [others, limitedly] = await seconds(() => drive(sessions.slice(half), { ...options, terms: limited.terms }));
    const driven = books.events;
    const each = (count: number, took: number): string =>
      `in ${took.toFixed(1)} s, ${(count / took).toFixed(0)} a second`;
    const asked = answers.length + others.length;
    print(`${asked} decisions and ${driven} events over HTTP ${each(asked + driven, freely + limitedly)}`);
    if (served === null) await pause(FLUSHED_MS);
    else await adjacent.end();

    const missing = Math.max(0, wanted.events - books.events);
    const [, fillSeconds] = await seconds(() =>
      fillLedger(answers, missing, { ...wanted, terms: limited.terms, file, books, config }),
    );
    print(`${missing} events through the ledger ${each(missing, fillSeconds)}`);
    return reading(file, (database) => ({
      books,
      totals: totals(books, database, config),
      difference: firstDifference(books, database, config),
    }));
  } finally {
    clearInterval(progress);
    await adjacent.end();
  }
}

function reading<T>(file: string, read: (database: ReturnType<typeof openForReading>) => T): T {
  const database = openForReading({ file });
  try {
    return read(database);
  } finally {
    database.close();
  }
}

async function seconds<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begun = performance.now();
  const result = await work();
  return [result, (performance.now() - begun) / 1000];
}
