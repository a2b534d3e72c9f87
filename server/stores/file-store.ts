import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Low, type Adapter } from 'lowdb';
import { makeDataDirectory } from '../../platform/files/data-directory.js';
import { replaceDurably } from '../../platform/files/durable.js';
import { lockFile } from '../../platform/files/file-lock.js';
import { fileStamp } from './file-stamp.js';
import { type BeforeWrite, DamagedStoreError, type Parse, type SharedStore } from './shared-store.js';

/** Longer than a lock of a killed process takes to expire, also if the clock was ahead. */
const MAX_WAIT_MS = 25_000;

/**
 * A small JSON file that several processes (commands, the server, an editor) may change. No process writes back stale
 * content: each change locks the file, reads it again, changes it and writes it durably.
 */
export class FileStore<T> implements SharedStore<T> {
  constructor(
    readonly path: string,
    private readonly empty: T,
    private readonly parse: Parse<T>,
    /**
     * After this many milliseconds without a sign of life, a lock counts as that of a killed process; 2000 at least.
     */
    private readonly staleMs = 10_000,
  ) {}

  stamp(): Promise<string> {
    return fileStamp(this.path);
  }

  async read(): Promise<T> {
    return (await this.load()).data;
  }

  async change<R>(change: (data: T) => R, beforeWrite?: BeforeWrite<T>): Promise<R> {
    makeDataDirectory(dirname(this.path));
    let lost: Error | undefined;
    const failIfLost = (): void => {
      if (lost !== undefined) throw lost;
    };
    const release = await lockFile(this.path, {
      onCompromised: (error) => (lost = error),
      staleMs: this.staleMs,
      retryMs: () => 10 + Math.random() * 90,
      waitMs: MAX_WAIT_MS,
    });
    try {
      const store = await this.load();
      const before = JSON.stringify(store.data);
      const result = change(store.data);
      store.data = this.parse(store.data);
      failIfLost();
      if (JSON.stringify(store.data) === before) return result;
      await beforeWrite?.(JSON.parse(before) as T, store.data, null);
      // `beforeWrite` may have taken long, and another process may have changed the file in the meantime.
      failIfLost();
      await store.write();
      return result;
    } finally {
      // A lost lock belongs to another process by now.
      if (lost === undefined) await release();
    }
  }

  private async load(): Promise<Low<T>> {
    const store = new Low<T>(new JsonFile<T>(this.path), structuredClone(this.empty));
    try {
      await store.read();
      store.data = this.parse(store.data);
    } catch (error) {
      throw new DamagedStoreError(this.path, error);
    }
    return store;
  }
}

/** A lowdb adapter for a file that only its owner can read and that survives a crash. */
class JsonFile<T> implements Adapter<T> {
  constructor(private readonly path: string) {}

  /**
   * @returns null if there is no such file
   * @throws Error when it does not hold a JSON object
   */
  async read(): Promise<T | null> {
    try {
      const value = JSON.parse(await readFile(this.path, 'utf8')) as T;
      // lowdb treats null, 0 and other falsy values as a new store; the file's content would then be overwritten.
      if (typeof value !== 'object' || value === null) throw new TypeError('it holds no JSON object');
      return value;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async write(data: T): Promise<void> {
    await replaceDurably(this.path, `${JSON.stringify(data, null, 2)}\n`, 0o600);
  }
}
