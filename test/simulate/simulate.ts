import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../server/config.js';
import { createCalendar } from '../../server/ledger/calendar.js';
import { LEDGER_FILE, openForReading } from '../../server/ledger/database.js';
import { createLedger } from '../../server/ledger/embedded-ledger.js';
import { createRequestIds } from '../../server/request-id/request-ids.js';
import { openSigningKeys } from '../../server/request-id/signing-key-file.js';
import { Installation } from '../support/installation.js';
import { randomNumbers } from '../support/plausible-month.js';
import { firstDifference, openingPages, totals } from './agreement.js';
import type { Answer } from './answer.js';
import type { SimulateArguments } from './arguments.js';
import { createBooks, type Books } from './books.js';
import { drive } from './drive.js';
import { fillMonth } from './fill.js';
import { people, PUBLISHERS } from './people.js';
import { sampleTerms, type Terms } from './terms.js';

export interface Simulated {
  readonly books: Books;
  /** Each figure's name, what it is by the books, and what it is by the report. */
  readonly totals: readonly (readonly [string, number, number])[];
  /** Null: books and report agree. */
  readonly difference: string | null;
}

const DAY = 86_400_000;
/** Counters are flushed within a second; a server that goes on running has flushed them by then. */
const FLUSHED_MS = 2500;
/** A server has read what commands have written. */
const FOLLOWED_MS = 1500;
const TELL_EVERY_MS = 15_000;

/**
 * Drives a server with people, fills a month around what they did, and compares the books kept of it with the report.
 *
 * @param tell is told what happens, a line at a time
 */
export async function simulate(
  wanted: SimulateArguments,
  config: Config,
  tell: (line: string) => void,
): Promise<Simulated> {
  const { dataDir } = config;
  const file = join(dataDir, LEDGER_FILE);
  const adjacent = new Installation(dataDir, {
    PORT: String(wanted.port),
    HOST: '127.0.0.1',
    BASE_URL: '',
    TRUST_PROXY: '0',
    WORKERS: String(Math.min(4, availableParallelism())),
  });
  const books = createBooks(config.timeZone);
  const progress = setInterval(() => tell(`  ${books.events} events so far`), TELL_EVERY_MS);
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
    // By number: a name may lead to two addresses, and a client would be two.
    const origin = wanted.url ?? served!.origin.replace('localhost', '127.0.0.1');
    tell(`driving ${origin} with ${wanted.decisions} decisions`);
    const signing = config.signingKeys ?? openSigningKeys(dataDir, Date.now(), config.clickWindowMs);
    const sessions = people(wanted.decisions, randomNumbers(wanted.seed));
    const half = Math.ceil(sessions.length / 2);
    const parts = { origin, keys, books, windows: config, seed: wanted.seed, requestIds: createRequestIds(signing) };
    // Without budgets at first: the month repeats these answers, and today's budgets would have shaped it.
    const [answers, freely] = await seconds(() => drive(sessions.slice(0, half), { ...parts, terms: free.terms }));
    await setCampaigns(adjacent, limited.commands);
    await pause(FOLLOWED_MS);
    const [others, limitedly] = await seconds(() => drive(sessions.slice(half), { ...parts, terms: limited.terms }));
    const driven = books.events;
    const each = (count: number, took: number): string =>
      `in ${took.toFixed(1)} s, ${(count / took).toFixed(0)} a second`;
    const asked = answers.length + others.length;
    tell(`${asked} decisions and ${driven} events over HTTP ${each(asked + driven, freely + limitedly)}`);
    if (served === null) await pause(FLUSHED_MS);
    else await adjacent.end();

    const missing = Math.max(0, wanted.events - books.events);
    const [, fillSeconds] = await seconds(() =>
      fill(answers, missing, { terms: limited.terms, file, books, config, wanted }),
    );
    tell(`${missing} events through the ledger ${each(missing, fillSeconds)}`);
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

/** The sample catalogue, and a key for each publisher. */
async function prepare(
  adjacent: Installation,
  { url }: SimulateArguments,
  { dataDir }: Config,
): Promise<ReadonlyMap<string, string>> {
  if (url === undefined && !existsSync(join(dataDir, 'current'))) await adjacent.indexSample();
  const keys = new Map<string, string>();
  for (const { name, test } of PUBLISHERS) {
    keys.set(name, await adjacent.createKey('--publisher', name, ...(test ? ['--test'] : [])));
  }
  return keys;
}

async function setCampaigns(adjacent: Installation, commands: readonly (readonly string[])[]): Promise<void> {
  for (const command of commands) await adjacent.run('server/campaigns/main.js', ...command);
}

interface FillParts {
  readonly file: string;
  readonly terms: ReadonlyMap<string, Terms>;
  readonly books: Books;
  readonly config: Config;
  readonly wanted: SimulateArguments;
}

async function fill(
  answers: readonly Answer[],
  events: number,
  { file, terms, books, config, wanted }: FillParts,
): Promise<void> {
  const { timeZone, currency } = config;
  const calendar = createCalendar(timeZone);
  const to = Date.now();
  const from = calendar.startOf(calendar.dateOf(to - (wanted.days - 1) * DAY));
  const ledger = await createLedger({ file, currency, timeZone });
  try {
    await fillMonth(answers, events, { ledger, terms, books, random: randomNumbers(wanted.seed + 1), from, to });
  } finally {
    await ledger.close();
  }
}

function reading<T>(file: string, read: (database: ReturnType<typeof openForReading>) => T): T {
  const database = openForReading(file);
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
