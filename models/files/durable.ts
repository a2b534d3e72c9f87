import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** Writes a new file such that it is on the disk when this returns. */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  await withHandle(file, 'wx', async (handle) => {
    await handle.writeFile(content);
    await handle.sync();
  });
}

/** Puts a file's new content in place at once: readers see the old or the new, after a power cut too. */
export async function replaceDurably(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await rm(temporary, { force: true });
  try {
    await writeDurably(temporary, content);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncPath(path.dirname(file));
}

/** Makes a file that others wrote, or a directory's entries, durable. */
export async function syncPath(target: string): Promise<void> {
  await withHandle(target, 'r', (handle) => handle.sync());
}

async function withHandle(file: string, flags: string, use: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(file, flags);
  try {
    await use(handle);
  } finally {
    await handle.close();
  }
}
