import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { refuseCopy } from '../../platform/cluster/copy-mark.js';
import type { LedgerDatabase } from './tables/ledger-database.js';
import { openPostgresForReading, openPostgresForWriting } from './postgres/open-postgres.js';
import { openFileForReading, openFileForWriting } from './sqlite/sqlite-file.js';

/** The ledger's file within DATA_DIR. */
export const LEDGER_FILE = 'ledger.sqlite';

/** The location of a ledger: a SQLite file, or a PostgreSQL database (`postgres://…`). */
export type LedgerLocation = { readonly file: string } | { readonly url: string };

/** The settings that locate the ledger. */
export interface LedgerSettings {
  readonly dataDir: string;
  /** Null: the ledger is in `dataDir`. */
  readonly databaseUrl: string | null;
}

/** Returns the ledger's location. @throws Error when DATA_DIR belongs to a database and none is given */
export function ledgerLocation({ dataDir, databaseUrl }: LedgerSettings): LedgerLocation {
  // A node's DATA_DIR has no ledger, or only an outdated one from before a move.
  if (databaseUrl === null) refuseCopy(dataDir);
  return databaseUrl === null ? { file: join(dataDir, LEDGER_FILE) } : { url: databaseUrl };
}

/** Refuses a file that does not exist. A database passes, since opening it creates missing tables. @throws Error */
export function refuseMissing(location: LedgerLocation): void {
  if ('file' in location && !existsSync(location.file)) throw new Error(`there is no ledger at ${location.file}`);
}

/** Returns where reports read the ledger: in a replica if there is one. */
export function reportsLocation(
  settings: LedgerSettings & { readonly reportsDatabaseUrl: string | null },
): LedgerLocation {
  return settings.reportsDatabaseUrl === null ? ledgerLocation(settings) : { url: settings.reportsDatabaseUrl };
}

/**
 * Opens a ledger for writing and brings its schema up to date.
 *
 * @param busyTimeoutMs how long to wait for another process that writes
 * @param responseMs after how many milliseconds without an answer the connection to PostgreSQL is considered lost;
 * undefined: never
 * @param reopened this process has opened it before: tables that a newer release has extended since are accepted
 * @throws LedgerRefusedError for a ledger of a newer version, and where only remains of one are found
 */
export function openForWriting(
  location: LedgerLocation,
  busyTimeoutMs: number,
  responseMs?: number,
  reopened = false,
): LedgerDatabase {
  return 'file' in location
    ? openFileForWriting(location.file, busyTimeoutMs)
    : openPostgresForWriting(location.url, busyTimeoutMs, responseMs, reopened);
}

/**
 * Opens a ledger for reports, while servers go on writing, with integers as bigint, so that no sum is rounded. A ledger
 * that no server has opened yet is empty.
 *
 * @param byServer a server opens it, which has opened the ledger for writing before: a database without a ledger is
 * refused, tables that a newer release has extended since are accepted, and answers are limited in time
 * @throws LedgerRefusedError for a ledger of another version, and where only remains of one are found
 */
export function openForReading(location: LedgerLocation, byServer = false): LedgerDatabase {
  return 'file' in location ? openFileForReading(location.file) : openPostgresForReading(location.url, byServer);
}
