import Sqlite from 'better-sqlite3';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { moveDurably, syncPath } from '../../../platform/files/durable.js';
import { HOUR } from '../../../platform/time/durations.js';
import { BackupError, verifyCopy } from './verify-copy.js';

/**
 * Copies the ledger as of one moment while a server goes on writing: SQLite copies within one read transaction. A
 * ledger of an earlier release is copied as it is. On return the copy is complete, verified and on the disk; on failure
 * there is none. Only its owner can read it.
 *
 * @throws BackupError
 */
export async function backUp(file: string, to: string): Promise<void> {
  if (!existsSync(file)) throw new BackupError(`there is no ledger at ${file}`);
  if (!existsSync(dirname(to))) throw new BackupError(`there is no folder ${dirname(to)}`);
  if (existsSync(to)) throw new BackupError(`${to} exists already; name another file, or a folder`);
  const part = `${to}.part`;
  removePart(part);
  try {
    writeFileSync(part, '', { mode: 0o600 });
    copyAtOnce(file, part);
    verifyCopy(part);
    await moveDurably(part, to);
  } finally {
    removePart(part);
  }
}

/** Removes an unfinished copy, and the files that SQLite may have left beside it. */
export function removePart(part: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(part + suffix, { force: true });
}

/** A copy in a folder, and the older copies that were deleted after it was made. */
export interface DatedBackup {
  readonly file: string;
  readonly deleted: readonly string[];
}

/** The names that `backUpDated` gives; their alphabetical order is that of time. */
const DATED = /^ledger-\d{4}-\d\d-\d\dT[\d-]+\.\d{3}Z\.sqlite$/;
/** An unfinished copy without a write for so long is abandoned: one in progress is written to continuously. */
const ABANDONED_MS = HOUR;

/**
 * Copies the ledger into a folder, under a name with the time, and then deletes the oldest such copies beyond `keep`,
 * but never the new one or any other file.
 *
 * @param keep how many copies to keep; undefined: all
 * @param now epoch milliseconds
 * @throws BackupError; nothing is deleted then
 */
export async function backUpDated(file: string, folder: string, keep: number | undefined, now: number) {
  const name = `ledger-${timeInName(now)}.sqlite`;
  const copy = join(folder, name);
  await backUp(file, copy);
  for (const each of readdirSync(folder)) {
    const isAbandoned = DATED.test(each.replace(/\.part$/, '')) && each.endsWith('.part');
    if (isAbandoned && statSync(join(folder, each)).mtimeMs < now - ABANDONED_MS) removePart(join(folder, each));
  }
  const others = readdirSync(folder).filter((each) => DATED.test(each) && each !== name);
  const deleted =
    keep === undefined
      ? []
      : others
          .toSorted()
          .reverse()
          .slice(keep - 1);
  for (const each of deleted) rmSync(join(folder, each));
  if (deleted.length > 0) await syncPath(folder);
  return { file: copy, deleted } satisfies DatedBackup;
}

/** Formats a moment so that every file system accepts it in a name: `2026-11-22T10-00-00.000Z`. */
export function timeInName(moment: number): string {
  return new Date(moment).toISOString().replaceAll(':', '-');
}

function copyAtOnce(file: string, to: string): void {
  try {
    const database = new Sqlite(file, { readonly: true, timeout: 5000 });
    try {
      database.prepare('vacuum into ?').run(to);
    } finally {
      database.close();
    }
  } catch (error) {
    throw new BackupError(`${file} cannot be copied: ${(error as Error).message}`);
  }
}
