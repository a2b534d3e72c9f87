import Sqlite from 'better-sqlite3';
import { copyFileSync, existsSync, linkSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { moveDurably, syncPath } from '../../../platform/files/durable.js';
import { removePart, timeInName } from './backup.js';
import { sqliteDatabase } from '../sqlite/sqlite-database.js';
import { KEPT_SUFFIX, migrate } from '../sqlite/sqlite-file.js';
import { rollUpsAreCurrent, type AccountingBasis } from '../tables/accounting-basis.js';
import { rebuildRollUps } from '../sums/rebuild.js';
import { BackupError, verifyCopy } from './verify-copy.js';

/**
 * Replaces the ledger by a copy, migrated to this release's version. The previous ledger is kept beside it under
 * another name, and stays in its place until the copy replaces it.
 *
 * @param settings the currency and time zone of this installation
 * @param now epoch milliseconds
 * @returns the file of the previous ledger; undefined when there was none
 * @throws BackupError for a file that is not a ledger or has another accounting basis, or while a server has the ledger
 * open; the ledger is then unchanged
 */
export async function restore(
  from: string,
  file: string,
  settings: AccountingBasis,
  now: number,
): Promise<string | undefined> {
  if (!existsSync(from)) throw new BackupError(`there is no file ${from}`);
  if (existsSync(`${from}-wal`) && statSync(`${from}-wal`).size > 0) {
    throw new BackupError(`${from} is a ledger in use, with a log beside it: make a copy by the command backup first`);
  }
  const part = `${file}.part`;
  removePart(part);
  try {
    copyFileSync(from, part);
    prepare(part, from, settings);
    const kept = `${file}${KEPT_SUFFIX}${timeInName(now)}`;
    const replaces = existsSync(file);
    if (existsSync(`${file}-wal`)) linkSync(`${file}-wal`, `${kept}-wal`);
    if (replaces) {
      leaveLog(file, `${kept}-wal`);
      linkSync(file, kept);
      await syncPath(dirname(file));
    }
    // SQLite would mistake the log of the previous ledger for the copy's.
    for (const suffix of ['-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
    await moveDurably(part, file);
    return replaces ? kept : undefined;
  } finally {
    removePart(part);
  }
}

/** Verifies this process's own copy of the backup, which no other process changes, and migrates it. */
function prepare(part: string, from: string, { currency, timeZone }: AccountingBasis): void {
  let counted: AccountingBasis;
  try {
    counted = verifyCopy(part);
  } catch (error) {
    throw new BackupError((error as Error).message.replaceAll(part, from));
  }
  if (counted.currency !== currency || counted.timeZone !== timeZone) {
    throw new BackupError(
      `${from} has counted in ${counted.currency} and ${counted.timeZone}, this installation in ${currency} and ${timeZone}: ` +
        `set CURRENCY=${counted.currency} and TIME_ZONE=${counted.timeZone} if it is the right one`,
    );
  }
  const database = new Sqlite(part);
  try {
    database.pragma('journal_mode = delete');
    database.pragma('synchronous = FULL');
    database.transaction(migrate).immediate(database, part);
    const ledger = sqliteDatabase(database);
    if (!rollUpsAreCurrent(ledger)) rebuildRollUps(ledger, timeZone);
  } finally {
    database.close();
  }
}

/**
 * Turns the write-ahead log off, which needs exclusive access and copies the log into the file, so that no log is left
 * beside it. For a damaged file this fails, and SQLite would discard its log.
 *
 * @param log another name of the log, removed unless the file is damaged
 */
function leaveLog(file: string, log: string): void {
  let isDamaged = false;
  const database = new Sqlite(file, { timeout: 500 });
  try {
    database.pragma('journal_mode = delete');
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    isDamaged = /^SQLITE_(NOTADB|CORRUPT)/.test(code);
    if (!isDamaged) throw new BackupError(`${file} is in use (${message}): stop the server first`);
  } finally {
    database.close();
    if (!isDamaged) rmSync(log, { force: true });
  }
}
