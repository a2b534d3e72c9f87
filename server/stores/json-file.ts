import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Adapter } from 'lowdb';

/**
 * A lowdb adapter for a file that must survive a crash: written whole to a temporary file of its own, synced, then
 * renamed over the old one, so that a reader sees the old or the new content and never a part.
 */
export class JsonFile<T> implements Adapter<T> {
  constructor(
    private readonly path: string,
    private readonly mode = 0o600,
  ) {}

  /** @returns null when there is no such file; @throws SyntaxError when it is not JSON */
  async read(): Promise<T | null> {
    try {
      return JSON.parse(await readFile(this.path, 'utf8')) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async write(data: T): Promise<void> {
    const temporary = `${this.path}.${process.pid}.${Date.now().toString(36)}.tmp`;
    try {
      await writeSynced(temporary, `${JSON.stringify(data, null, 2)}\n`, this.mode);
      await rename(temporary, this.path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncDirectory(dirname(this.path));
  }
}

async function writeSynced(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The rename itself is durable only once the directory is. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
