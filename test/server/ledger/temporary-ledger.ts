import { sql } from '#kysely';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LEDGER_FILE, type LedgerLocation, openForReading, openForWriting } from '../../../server/ledger/database.js';
import { createLedger, type ServerLedger, type LedgerOptions } from '../../../server/ledger/server-ledger.js';
import type { LedgerDatabase } from '../../../server/ledger/tables/ledger-database.js';
import { temporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** The two stores of a ledger. Tests run on both. */
export const STORES = ['SQLite', 'PostgreSQL'] as const;
export type StoreName = (typeof STORES)[number];

/** A directory for the ledgers of one test, removed together with them. */
export interface TemporaryLedger {
  readonly dataDir: string;
  readonly file: string;
  readonly location: LedgerLocation;
  /** Environment variables with which commands find the ledger. */
  readonly env: Readonly<Record<string, string>>;
  open(options?: Partial<LedgerOptions>): Promise<ServerLedger>;
  remove(): Promise<void>;
}

/** Makes a ledger in SQLite. */
export function temporaryLedger(): TemporaryLedger {
  const dataDir = temporaryDirectory();
  const file = join(dataDir, LEDGER_FILE);
  return temporaryAt(dataDir, file, { file }, async () => {});
}

/** Makes a ledger in either store; in PostgreSQL, in its own database. */
export async function temporaryLedgerIn(store: StoreName): Promise<TemporaryLedger> {
  if (store === 'SQLite') return temporaryLedger();
  const dataDir = temporaryDirectory();
  const database = await temporaryDatabase();
  return temporaryAt(dataDir, join(dataDir, LEDGER_FILE), { url: database.url }, () => database.drop());
}

function temporaryAt(
  dataDir: string,
  file: string,
  location: LedgerLocation,
  drop: () => Promise<void>,
): TemporaryLedger {
  const opened: ServerLedger[] = [];
  return {
    dataDir,
    file,
    location,
    env: 'url' in location ? { DATABASE_URL: location.url } : {},
    async open(options = {}) {
      const ledger = await createLedger({ database: location, currency: 'USD', timeZone: 'UTC', ...options });
      opened.push(ledger);
      return ledger;
    },
    async remove() {
      await Promise.allSettled(opened.map((ledger) => ledger.close()));
      await drop();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** Copies a ledger that no process has open. */
export async function copyOf({ file, location }: TemporaryLedger): Promise<TemporaryLedger> {
  const dataDir = temporaryDirectory();
  const copy = join(dataDir, LEDGER_FILE);
  if ('file' in location) {
    copyFileSync(file, copy);
    return temporaryAt(dataDir, copy, { file: copy }, async () => {});
  }
  const database = await temporaryDatabase(location.url);
  return temporaryAt(dataDir, copy, { url: database.url }, () => database.drop());
}

/**
 * Opens a ledger for reading for as long as `use` runs, which is synchronous.
 *
 * @param byServer as for `openForReading`
 */
export function readLedger<T>(location: LedgerLocation, use: (database: LedgerDatabase) => T, byServer = false): T {
  return closedAfter(openForReading(location, byServer), use);
}

/** Opens a ledger for writing for as long as `use` runs, which is synchronous. */
export function writeLedger<T>(location: LedgerLocation, use: (database: LedgerDatabase) => T): T {
  return closedAfter(openForWriting(location, 1000), use);
}

function closedAfter<T>(database: LedgerDatabase, use: (database: LedgerDatabase) => T): T {
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Runs an SQL query and returns its rows, integers as numbers. */
export function rowsOf<Row = Record<string, unknown>>(database: LedgerDatabase, text: string): Row[] {
  return database.readAsNumbers(sql.raw<Row>(text));
}

/** Runs SQL statements, separated by semicolons. */
export function execute(database: LedgerDatabase, text: string): void {
  for (const statement of text.split(';')) if (statement.trim() !== '') database.run(sql.raw(statement));
}

/** Returns all sums in a fixed order, added up over the slots of all servers. */
export function allSums(database: LedgerDatabase): unknown[] {
  const sums = {
    counters: 'grain, start, dimension_set, counted, reason, sum(times) as times, sum(micros) as micros',
    billed: 'month, day, dimension_set, kind, price_micros, sum(times) as times',
    spend: 'day, advertiser, campaign, creative, sum(micros) as micros',
  };
  return Object.entries(sums).map(([table, columns]) => {
    const keys = columns.split(', sum(', 1)[0]!;
    return rowsOf(database, `select ${columns} from ${table} group by ${keys} order by ${keys}`);
  });
}

/** Makes a table refuse writes from now on, as a full disk would. */
export function refuseWrites(database: LedgerDatabase, write: 'insert' | 'delete', table: string): void {
  if ('file' in database) {
    const refused = `select raise(abort, 'database or disk is full'); end`;
    database.run(sql.raw(`create trigger full_disk before ${write} on ${table} begin ${refused}`));
  } else {
    const refused = `begin raise exception 'database or disk is full'; end`;
    database.run(
      sql.raw(
        `create or replace function full_disk() returns trigger language plpgsql as '${refused.replaceAll("'", "''")}'`,
      ),
    );
    database.run(
      sql.raw(`create trigger full_disk before ${write} on ${table} for each row execute function full_disk()`),
    );
  }
}

export function allowWrites(database: LedgerDatabase, table: string): void {
  database.run(sql.raw('file' in database ? 'drop trigger full_disk' : `drop trigger full_disk on ${table}`));
}
