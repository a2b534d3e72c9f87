import { Worker } from 'node:worker_threads';
import { SearchUnavailableError } from '../index/catalogue-search.js';
import type { Neighbour } from '../index/vector-index.js';
import { newActivity, unwatch, watch } from '../../platform/threads/at-exit.js';
import type { FromSearchThread, SearchQuery, SearchThreadData } from './search-worker.js';

export interface SearchThreadOptions {
  /** The graph file of a verified snapshot. */
  readonly file: string;
  readonly dims: number;
  /** Unit vectors, row-major: label × dims, in shared memory. */
  readonly vectors: Float32Array;
  /** Starts the thread; default: `search-worker.js` beside this file. */
  readonly spawn?: (data: SearchThreadData) => Worker;
  /** Monotonic clock in milliseconds. */
  readonly elapsed?: () => number;
}

/** Delay before another thread is started after one has died. */
const RESTART_DELAY_MS = 1000;

/**
 * The search thread and the searches that wait for it. Holds no reference to the `CatalogueSearch`, so that it can be
 * garbage-collected.
 */
export class SearchThread {
  readonly #data: Omit<SearchThreadData, 'activity'>;
  readonly #spawn: (data: SearchThreadData) => Worker;
  readonly #elapsed: () => number;
  readonly #pending = new Map<number, PendingSearch>();
  #worker: Worker | null;
  /** When the last thread ended. */
  #endedAt = -Infinity;
  #asked = 0;
  #opened: { readonly resolve: (size: number) => void; readonly reject: (error: Error) => void } | null = null;

  constructor({ file, dims, vectors, spawn = spawnThread, elapsed = () => performance.now() }: SearchThreadOptions) {
    this.#data = { file, dims, vectors };
    this.#spawn = spawn;
    this.#elapsed = elapsed;
    this.#worker = this.#start();
  }

  /** Resolves with the number of vectors in the graph. Call it once, right after construction. */
  opened(): Promise<number> {
    return new Promise((resolve, reject) => (this.#opened = { resolve, reject }));
  }

  /**
   * Searches in the thread.
   *
   * @throws SearchUnavailableError if the thread has died. The next search starts another one, a second later at the
   * earliest.
   */
  ask(query: Float32Array, k: number, among: Uint32Array | null): Promise<readonly Neighbour[]> {
    if (this.#worker === null && this.#elapsed() - this.#endedAt < RESTART_DELAY_MS) {
      return Promise.reject(new SearchUnavailableError());
    }
    this.#worker ??= this.#start();
    const id = this.#asked++;
    this.#worker.postMessage(
      { id, query, k, among } satisfies SearchQuery,
      among === null ? [] : [among.buffer as ArrayBuffer],
    );
    this.#worker.ref();
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  /** Lets the process exit while the thread has no pending searches. */
  #release(): void {
    if (this.#pending.size === 0 && this.#opened === null) this.#worker?.unref();
  }

  end(): void {
    void this.#worker?.terminate();
  }

  #start(): Worker {
    const activity = newActivity();
    const worker = this.#spawn({ ...this.#data, activity });
    watch(activity);
    worker.on('message', (message: FromSearchThread) => this.#receive(message));
    worker.on('error', (error) => {
      // While the search opens, `opened` reports the error; later, nothing else reports the cause.
      if (this.#opened === null) process.emitWarning(`The search thread ended: ${error.message}`);
      this.#fail(error);
    });
    worker.on('exit', () => {
      unwatch(activity);
      this.#worker = null;
      this.#endedAt = this.#elapsed();
      this.#fail(new Error('the search thread ended'));
    });
    return worker;
  }

  #receive(message: FromSearchThread): void {
    if ('size' in message) {
      this.#opened?.resolve(message.size);
      this.#opened = null;
      this.#release();
      return;
    }
    const { id, labels, similarities } = message;
    this.#pending.get(id)?.resolve(Array.from(labels, (label, at) => ({ label, similarity: similarities[at]! })));
    this.#pending.delete(id);
    this.#release();
  }

  #fail(error: Error): void {
    this.#opened?.reject(error);
    this.#opened = null;
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of all) reject(new SearchUnavailableError(error));
  }
}

function spawnThread(workerData: SearchThreadData): Worker {
  return new Worker(new URL('./search-worker.js', import.meta.url), { workerData });
}

interface PendingSearch {
  readonly resolve: (near: readonly Neighbour[]) => void;
  readonly reject: (error: Error) => void;
}
