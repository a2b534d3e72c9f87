import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** Writes a new file such that it is on the disk when this returns. @param mode of the file, less the process's umask */
export async function writeDurably(file: string, content: string | Uint8Array, mode = 0o666): Promise<void> {
  await withHandle(await open(file, 'wx', mode), async (handle) => {
    await handle.writeFile(content);
    await handle.sync();
  });
}

/** Adds a line to a file such that it is on the disk when this returns. Half a line, left by a crash, is ended first. */
export async function appendLine(file: string, line: string): Promise<void> {
  await withHandle(await open(file, 'a+'), async (handle) => {
    const { size } = await handle.stat();
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    await handle.appendFile(`${size === 0 || buffer.toString() === '\n' ? '' : '\n'}${line}\n`);
    await handle.sync();
  });
  await syncPath(path.dirname(file));
}

/** Puts a file's new content in place at once: readers see the old or the new, after a power cut too. */
export async function replaceDurably(file: string, content: string | Uint8Array, mode?: number): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await rm(temporary, { force: true });
  try {
    await writeDurably(temporary, content, mode);
    await moveDurably(temporary, file);
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
