import Sqlite from 'better-sqlite3';
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { moveDurably } from '../../models/files/durable.js';
import { openForReading } from './database.js';

/** The copy cannot be made, or not be put back; the message says why and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/**
 * Writes a copy of the ledger as it is at one moment, beside a server that goes on writing: SQLite copies within one read
 * transaction. Whole and on the disk on return, or not there at all.
 *
 * @throws BackupError
 */
export async function backUp(file: string, to: string): Promise<void> {
  if (!existsSync(file)) throw new BackupError(`there is no ledger at ${file}`);
  if (existsSync(to)) throw new BackupError(`${to} is there already; name another file`);
  const part = `${to}.part`;
  rmSync(part, { force: true });
  const database = new Sqlite(file, { readonly: true, timeout: 5000 });
  try {
    database.prepare('vacuum into ?').run(part);
  } finally {
    database.close();
  }
  verify(part);
  await moveDurably(part, to);
}

/**
 * Puts a copy in the ledger's place; the one that was there is kept beside it.
 *
 * @returns where it is kept; undefined when there was none
 * @throws BackupError for a copy that is none, or while a server has the ledger open
 */
export async function restore(from: string, file: string, now: number): Promise<string | undefined> {
  if (!existsSync(from)) throw new BackupError(`there is no file ${from}`);
  verify(from);
  const kept = `${file}.before-${new Date(now).toISOString().replaceAll(':', '-')}`;
  const replaces = existsSync(file);
  if (replaces) closeForAll(file);
  const part = `${file}.part`;
  try {
    copyFileSync(from, part);
    if (replaces) renameSync(file, kept);
    await moveDurably(part, file);
  } finally {
    rmSync(part, { force: true });
  }
  return replaces ? kept : undefined;
}

/** Leaving the write-ahead log needs the file for oneself, and takes the log into it: nothing is left beside it. */
function closeForAll(file: string): void {
  const database = new Sqlite(file, { timeout: 500 });
  try {
    database.pragma('journal_mode = delete');
  } catch (error) {
    throw new BackupError(`${file} is in use (${(error as Error).message}): stop the server first`);
  } finally {
    database.close();
  }
}

function verify(file: string): void {
  try {
    const database = openForReading(file);
    const [fault] = database.pragma('quick_check(1)', { simple: false }) as { quick_check: string }[];
    database.close();
    if (fault?.quick_check !== 'ok') throw new Error(fault?.quick_check ?? 'it cannot be checked');
  } catch (error) {
    throw new BackupError(`${file} is not a whole ledger: ${(error as Error).message}`);
  }
}
