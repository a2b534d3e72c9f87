import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { open, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** What a file is to hold, whole or in parts. */
type Content = string | Uint8Array | Iterable<string | Uint8Array>;

/** Writes a new file such that it is on the disk when this returns. @param mode of the file, less the process's umask */
export async function writeDurably(file: string, content: Content, mode = 0o666): Promise<void> {
  await withHandle(await open(file, 'wx', mode), async (handle) => {
    await writeFile(handle, content);
    await handle.sync();
  });
}

/**
 * Puts a file's new content in place at once: readers see the old or the new, after a power cut too. Of several writers at
 * once, each puts its own in place, whole.
 *
 * @returns the state of what was written; by now another may lie there
 */
export async function replaceDurably(file: string, content: string | Uint8Array, mode?: number): Promise<BigIntStats> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeDurably(temporary, content, mode);
    const written = await stat(temporary, { bigint: true });
    await moveDurably(temporary, file);
    return written;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Puts a file in the place of another, of the same directory: it, too, is there before or after a crash, never a part. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await syncPath(from);
  await rename(from, to);
  // A rename is durable once its directory is.
  await syncPath(path.dirname(to));
}

/** Makes a file that others wrote, or a directory's entries, durable. */
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
