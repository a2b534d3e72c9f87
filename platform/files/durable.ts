import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { link, open, readdir, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** A file's content, whole or in parts. */
type Content = string | Uint8Array | Iterable<string | Uint8Array>;

/** Writes a new file and flushes it to disk before returning. @param mode of the file, less the process's umask */
export async function writeDurably(file: string, content: Content, mode = 0o666): Promise<void> {
  await withHandle(await open(file, 'wx', mode), async (handle) => {
    await writeFile(handle, content);
    await handle.sync();
  });
}

/**
 * Replaces a file's content atomically: readers see the old or the new content, also after a power failure. If several
 * processes write at once, each puts its own whole content in place.
 *
 * @returns the state of the file as written; another one may be in its place by now
 * @throws Error of the file system that names the file
 */
export async function replaceDurably(file: string, content: string | Uint8Array, mode?: number): Promise<BigIntStats> {
  const temporary = draftOf(file);
  try {
    await writeDurably(temporary, content, mode);
    const written = await stat(temporary, { bigint: true });
    await moveDurably(temporary, file);
    return written;
  } catch (error) {
    await rm(temporary, { force: true });
    throw namingFile(error, temporary, file);
  }
}

/**
 * Creates a file atomically: whoever finds it finds its whole content, also after a power failure. Of several processes
 * that create it at once, one does.
 *
 * @returns false if it exists already
 * @throws Error of the file system that names the file
 */
export async function createDurably(file: string, content: string, mode?: number): Promise<boolean> {
  const temporary = draftOf(file);
  try {
    await writeDurably(temporary, content, mode);
    await link(temporary, file);
    await syncPath(path.dirname(file));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw namingFile(error, temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

function draftOf(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}.tmp`;
}

/** Errors name the file itself: its draft has another name each time, and the error of a full disk names neither. */
function namingFile(error: unknown, draft: string, file: string): unknown {
  if (!(error instanceof Error)) return error;
  const named = error.message.replaceAll(draft, file);
  error.message = named.includes(file) ? named : `${named} '${file}'`;
  return error;
}

const DRAFT = /\.[0-9a-f]{12}\.tmp$/;
/** A draft that is being written is never this old. */
const OLD_DRAFT_MS = 3_600_000;

/**
 * Removes drafts that killed processes have left in a directory: they may be large, or hold a secret.
 *
 * @param now epoch milliseconds
 */
export async function removeOldDrafts(directory: string, now: number): Promise<void> {
  for (const name of (await readdir(directory)).filter((each) => DRAFT.test(each))) {
    const file = path.join(directory, name);
    const stats = await stat(file).catch(() => null);
    if (stats?.isFile() && stats.mtimeMs + OLD_DRAFT_MS <= now) await rm(file, { force: true });
  }
}

/**
 * Moves a file over another in the same directory, atomically and durably: after a crash, the old or the new file is
 * there, never a part.
 */
export async function moveDurably(from: string, to: string): Promise<void> {
  await syncPath(from);
  await rename(from, to);
  // A rename is durable once its directory is.
  await syncPath(path.dirname(to));
}

/** Flushes a file written by other code, or a directory's entries, to disk. */
export async function syncPath(target: string): Promise<void> {
  await withHandle(await open(target, 'r'), (handle) => handle.sync());
}

async function withHandle(handle: FileHandle, use: (handle: FileHandle) => Promise<void>): Promise<void> {
  try {
    await use(handle);
  } finally {
    await handle.close();
  }
}
