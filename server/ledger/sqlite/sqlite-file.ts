import Sqlite, { type Database } from 'better-sqlite3';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { LedgerRefusedError, queries } from '../tables/ledger-database.js';
import { MIGRATIONS } from './migrations.js';
import { sqliteDatabase, type SqliteDatabase } from './sqlite-database.js';

/**
 * Opens the ledger's file for writing and brings its schema up to date.
 *
 * @param busyTimeoutMs how long to wait for another process that writes
 * @throws LedgerRefusedError for a file of a newer version, and where only remains of a ledger are found
 */
export function openFileForWriting(file: string, busyTimeoutMs: number): SqliteDatabase {
  refuseRemains(file);
  return orClose(openSqlite(file, { timeout: busyTimeoutMs }), (database) => {
    database.pragma('journal_mode = WAL');
    // FULL: a commit returns only once the log is on the disk, so that a power failure loses no acknowledged event.
    database.pragma('synchronous = FULL');
    database.transaction(migrate).immediate(database, file);
    return sqliteDatabase(database);
  });
}

/**
 * Opens the ledger's file for reports, while a server goes on writing, with integers as bigint, so that no sum is
 * rounded. A ledger that no server has opened yet is empty.
 *
 * @throws LedgerRefusedError for a file of another version, and where only remains of a ledger are found
 */
export function openFileForReading(file: string): SqliteDatabase {
  refuseRemains(file);
  const database = openStored(file) ?? openFileForWriting(':memory:', 0);
  database.file.defaultSafeIntegers(true);
  return database;
}

/** @returns undefined if no server has opened it yet */
function openStored(file: string): SqliteDatabase | undefined {
  if (!existsSync(file)) return undefined;
  return orClose(openSqlite(file, { readonly: true, timeout: 5000 }), (database) => {
    const version = refuseNewer(database, file);
    if (version === MIGRATIONS.length) return sqliteDatabase(database);
    if (version === 0) return void database.close();
    throw new LedgerRefusedError(`${file} is of an older release: start the server once, which brings it up to date`);
  });
}

/** Opens a file. @throws Error that names a file which cannot be opened; SQLite's own does not */
function openSqlite(file: string, options: Sqlite.Options): Database {
  try {
    return new Sqlite(file, options);
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string };
    if (code?.startsWith('SQLITE_CANTOPEN') !== true) throw error;
    throw new Error(`the ledger ${file} cannot be opened: ${message}; may this user read and write it?`, {
      cause: error,
    });
  }
}

/** Closes a file that turns out to be of no use: a server that reports try again would have it open ever more often. */
function orClose<T>(database: Database, prepare: (database: Database) => T): T {
  try {
    return prepare(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Migrates a ledger's schema to a version, by default this release's, within the caller's transaction.
 *
 * @throws LedgerRefusedError for a file of a newer version
 */
export function migrate(database: Database, file: string, to = MIGRATIONS.length): void {
  const version = refuseNewer(database, file);
  for (const step of MIGRATIONS.slice(version, to)) {
    for (const query of step(queries)) database.prepare(query.compile().sql).run();
  }
  database.pragma(`user_version = ${to}`);
}

/**
 * Part of the name under which a restore keeps the previous ledger: `ledger.sqlite.before-2026-11-22T10-00-00.000Z`.
 */
export const KEPT_SUFFIX = '.before-';

/**
 * Refuses to create a ledger beside one that was put aside or half restored: the new one would bill everything again.
 */
function refuseRemains(file: string): void {
  const [name, folder] = [basename(file), dirname(file)];
  const isThere = existsSync(file);
  if (file === ':memory:' || !existsSync(folder) || (isThere && statSync(file).size > 0)) return;
  const remains = readdirSync(folder).find(
    (each) => each.startsWith(name + KEPT_SUFFIX) || each === `${name}.part` || (!isThere && each === `${name}-wal`),
  );
  if (remains === undefined) return;
  throw new LedgerRefusedError(
    `there is no ledger at ${file}, but ${remains} exists beside it: restore a copy, or move ${remains} away to start a new ledger`,
  );
}

function refuseNewer(database: Database, file: string): number {
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version <= MIGRATIONS.length) return version;
  throw new LedgerRefusedError(
    `${file} has schema version ${version}, this release knows ${MIGRATIONS.length}: run the release that wrote it, or a newer one`,
  );
}
