import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { refuseCopy } from '../../platform/cluster/copy-mark.js';
import type { LedgerDatabase } from './tables/ledger-database.js';
import { openPostgresForReading, openPostgresForWriting } from './postgres/postgres-database.js';
import { openFileForReading, openFileForWriting } from './sqlite/sqlite-file.js';

/** The ledger's file within DATA_DIR. */
export const LEDGER_FILE = 'ledger.sqlite';

/** Where a ledger is: in a file of SQLite's, or in a PostgreSQL database (`postgres://…`). */
export type LedgerPlace = { readonly file: string } | { readonly url: string };

/** The settings that say where the ledger is. */
export interface LedgerSettings {
  readonly dataDir: string;
  /** Null: it is in `dataDir`. */
  readonly databaseUrl: string | null;
}

/** @throws Error when the ledger is in a database that is not given */
export function ledgerPlace({ dataDir, databaseUrl }: LedgerSettings): LedgerPlace {
  // What lies there is none, or the one of before a move.
  if (databaseUrl === null) refuseCopy(dataDir);
  return databaseUrl === null ? { file: join(dataDir, LEDGER_FILE) } : { url: databaseUrl };
}

/** @throws Error when there is no file; a database has the tables made that it lacks */
export function refuseMissing(place: LedgerPlace): void {
  if ('file' in place && !existsSync(place.file)) throw new Error(`there is no ledger at ${place.file}`);
}

/** Where reports are read: from a replica, where there is one. */
export function reportsPlace(settings: LedgerSettings & { readonly reportsDatabaseUrl: string | null }): LedgerPlace {
  return settings.reportsDatabaseUrl === null ? ledgerPlace(settings) : { url: settings.reportsDatabaseUrl };
}

/**
 * Opens a ledger for writing and brings its schema up to date.
 *
 * @param busyTimeoutMs how long to wait for another process that writes
 * @param answerMs after how long without an answer, milliseconds, PostgreSQL counts as gone; undefined: never
 * @param reopened this process has had it open: a database that a newer release has added to meanwhile will do
 * @throws LedgerRefusedError for one of a newer version, and where there is none but the rest of one
 */
export function openForWriting(
  place: LedgerPlace,
  busyTimeoutMs: number,
  answerMs?: number,
  reopened = false,
): LedgerDatabase {
  return 'file' in place
    ? openFileForWriting(place.file, busyTimeoutMs)
    : openPostgresForWriting(place.url, busyTimeoutMs, answerMs, reopened);
}

/**
 * Opens a ledger for reports: beside servers that write, and with integers as bigint, so that no sum is rounded. A ledger
 * that no server has begun yet is an empty one.
 *
 * @param byServer for a server, which has begun it: a database without a ledger is refused, one that a newer release has added
 *   to meanwhile will do, and no answer takes minutes
 * @throws LedgerRefusedError for one of another version, and where there is none but the rest of one
 */
export function openForReading(place: LedgerPlace, byServer = false): LedgerDatabase {
  return 'file' in place ? openFileForReading(place.file) : openPostgresForReading(place.url, byServer);
}
