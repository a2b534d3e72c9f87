import Sqlite from 'better-sqlite3';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { moveDurably, syncPath } from '../../../platform/files/durable.js';
import { BackupError, verifyCopy } from './verify-copy.js';

/**
 * Writes a copy of the ledger as it is at one moment, beside a server that goes on writing: SQLite copies within one read
 * transaction. A ledger of an earlier release is copied as it is. Whole, checked and on the disk on return, or not there
 * at all; only its owner can read it.
 *
 * @throws BackupError
 */
export async function backUp(file: string, to: string): Promise<void> {
  if (!existsSync(file)) throw new BackupError(`there is no ledger at ${file}`);
  if (!existsSync(dirname(to))) throw new BackupError(`there is no folder ${dirname(to)}`);
  if (existsSync(to)) throw new BackupError(`${to} is there already; name another file, or a folder`);
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

/** Removes a file that was begun, and what SQLite may have left beside it. */
export function removePart(part: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(part + suffix, { force: true });
}

/** A copy in a folder: where it is, and which older ones were deleted for it. */
export interface DatedBackup {
  readonly file: string;
  readonly deleted: readonly string[];
}

/** As `backUpDated` names them, so that their order is that of time. */
const DATED = /^ledger-\d{4}-\d\d-\d\dT[\d-]+\.\d{3}Z\.sqlite$/;
/** A copy under way is written to all the time. */
const ABANDONED_MS = 3_600_000;

/**
 * Writes a copy into a folder, named by its time, and then deletes the oldest such copies beyond `keep`: never the new
 * one, nor any other file.
 *
 * @param keep how many copies stay; undefined: all
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

/** A moment as a file name can hold it everywhere: `2026-11-22T10-00-00.000Z`. */
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
