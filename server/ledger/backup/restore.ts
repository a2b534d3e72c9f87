import Sqlite from 'better-sqlite3';
import { copyFileSync, existsSync, linkSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { moveDurably, syncPath } from '../../../platform/files/durable.js';
import { removePart, timeInName } from './backup.js';
import { sqliteDatabase } from '../sqlite/sqlite-database.js';
import { KEPT_SUFFIX, migrate } from '../sqlite/sqlite-file.js';
import { rollUpsAreCurrent, type Installation } from '../tables/accounting-basis.js';
import { rebuildRollUps } from '../sums/rebuild.js';
import { BackupError, verifyCopy } from './verify-copy.js';

/**
 * Puts a copy in the ledger's place, brought up to this release's version; the ledger that was there is kept beside it,
 * and stays in its place until the copy takes it.
 *
 * @param settings what this installation counts in
 * @param now epoch milliseconds
 * @returns where it is kept; undefined when there was none
 * @throws BackupError for a copy that is none or of another installation, or while a server has the ledger open; the
 * ledger is as it was then
 */
export async function restore(
  from: string,
  file: string,
  settings: Installation,
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
    // A log of another ledger would be taken for one of the copy.
    for (const suffix of ['-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
    await moveDurably(part, file);
    return replaces ? kept : undefined;
  } finally {
    removePart(part);
  }
}

/** Checks the copy's copy, which nobody else changes, and brings it up to date. */
function prepare(part: string, from: string, { currency, timeZone }: Installation): void {
  let counted: Installation;
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
 * Leaving the write-ahead log needs the file for oneself, and takes the log into it: nothing is left beside it. A damaged
 * file cannot, and SQLite would throw its log away.
 *
 * @param log another name of the log, which goes unless the file is damaged
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
