import { Worker } from 'node:worker_threads';
import { SearchUnavailableError } from '../index/catalogue-search.js';
import type { Neighbour } from '../index/vector-index.js';
import { newActivity, unwatch, watch } from '../../platform/threads/at-exit.js';
import { ThreadRequests } from '../../platform/threads/requests.js';
import type { SearchTasks, SearchThreadData } from './search-worker.js';

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

/** The thread's opening answers with the number of vectors in the graph. */
type Thread = ThreadRequests<SearchTasks, number>;

/**
 * Searches in a thread, which is replaced after it has died. Holds no reference to the `CatalogueSearch`, so that it can
 * be garbage-collected.
 */
export class SearchThread {
  readonly #data: Omit<SearchThreadData, 'activity'>;
  readonly #spawn: (data: SearchThreadData) => Worker;
  readonly #elapsed: () => number;
  #thread: Thread;
  #isOpen = false;
  /** When the last thread ended. */
  #endedAt = -Infinity;

  constructor({ file, dims, vectors, spawn = spawnThread, elapsed = () => performance.now() }: SearchThreadOptions) {
    this.#data = { file, dims, vectors };
    this.#spawn = spawn;
    this.#elapsed = elapsed;
    this.#thread = this.#start();
  }

  /** Resolves with the number of vectors in the graph. Call it once, right after construction. */
  async opened(): Promise<number> {
    const size = await this.#thread.opened();
    this.#isOpen = true;
    this.#release(this.#thread);
    return size;
  }

  /**
   * Searches in the thread.
   *
   * @throws SearchUnavailableError if the thread has died. The next search starts another one, a second later at the
   * earliest.
   */
  async ask(query: Float32Array, k: number, among: Uint32Array | null): Promise<readonly Neighbour[]> {
    if (this.#thread.hasEnded) {
      if (this.#elapsed() - this.#endedAt < RESTART_DELAY_MS) throw new SearchUnavailableError();
      this.#thread = this.#start();
    }
    const thread = this.#thread;
    thread.worker.ref();
    try {
      const transfer = among === null ? [] : [among.buffer as ArrayBuffer];
      const { labels, similarities } = await thread.ask('search', { query, k, among }, { transfer });
      return Array.from(labels, (label, at) => ({ label, similarity: similarities[at]! }));
    } catch (error) {
      throw new SearchUnavailableError(error);
    } finally {
      this.#release(thread);
    }
  }

  end(): void {
    void this.#thread.worker.terminate();
  }

  /** Lets the process exit while the thread has no pending searches. */
  #release({ worker, pending }: Thread): void {
    if (pending === 0) worker.unref();
  }

  #start(): Thread {
    const activity = newActivity();
    const thread: Thread = new ThreadRequests(this.#spawn({ ...this.#data, activity }), {
      ended: 'the search thread ended',
    });
    watch(activity);
    thread.worker.on('error', (error) => {
      // While the search opens, `opened` reports the error; later, nothing else reports the cause.
      if (this.#isOpen) process.emitWarning(`The search thread ended: ${error.message}`);
    });
    thread.worker.on('exit', () => {
      unwatch(activity);
      this.#endedAt = this.#elapsed();
    });
    return thread;
  }
}

function spawnThread(workerData: SearchThreadData): Worker {
  return new Worker(new URL('./search-worker.js', import.meta.url), { workerData });
}
