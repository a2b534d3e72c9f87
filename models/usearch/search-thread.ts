import { Worker } from 'node:worker_threads';
import { SearchUnavailableError } from '../index/catalogue-search.js';
import type { Neighbour } from '../index/vector-index.js';
import { newActivity, unwatch, watch } from '../../platform/threads/at-exit.js';
import type { FromSearchThread, Question, SearchThreadData } from './search-worker.js';

export interface SearchThreadOptions {
  /** The graph, of a snapshot that has been verified. */
  readonly file: string;
  readonly dims: number;
  /** Unit vectors, row-major: label × dims, over shared memory. */
  readonly vectors: Float32Array;
  /** Starts the thread; default: `search-worker.js` beside this file. */
  readonly spawn?: (data: SearchThreadData) => Worker;
  /** Milliseconds from any moment on. */
  readonly elapsed?: () => number;
}

/** After a thread has died none is started for so long. */
const REST_MS = 1000;

/** The thread, and who waits for its answers. Nothing in it knows the search, so that the search can be collected. */
export class SearchThread {
  readonly #data: Omit<SearchThreadData, 'activity'>;
  readonly #spawn: (data: SearchThreadData) => Worker;
  readonly #elapsed: () => number;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null;
  /** When the last one ended by itself. */
  #endedAt = -Infinity;
  #asked = 0;
  #opened: { readonly resolve: (size: number) => void; readonly reject: (error: Error) => void } | null = null;

  constructor({ file, dims, vectors, spawn = spawnThread, elapsed = () => performance.now() }: SearchThreadOptions) {
    this.#data = { file, dims, vectors };
    this.#spawn = spawn;
    this.#elapsed = elapsed;
    this.#worker = this.#start();
  }

  /** How many vectors the graph has. Once, after construction. */
  opened(): Promise<number> {
    return new Promise((resolve, reject) => (this.#opened = { resolve, reject }));
  }

  /** @throws SearchUnavailableError when the thread has died; it is started again for the next one, a second later at the earliest */
  ask(query: Float32Array, k: number, among: Uint32Array | null): Promise<readonly Neighbour[]> {
    if (this.#worker === null && this.#elapsed() - this.#endedAt < REST_MS) {
      return Promise.reject(new SearchUnavailableError());
    }
    this.#worker ??= this.#start();
    const id = this.#asked++;
    this.#worker.postMessage(
      { id, query, k, among } satisfies Question,
      among === null ? [] : [among.buffer as ArrayBuffer],
    );
    this.#worker.ref();
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** A process lives on for an answer, not for the thread. */
  #release(): void {
    if (this.#waiting.size === 0 && this.#opened === null) this.#worker?.unref();
  }

  end(): void {
    void this.#worker?.terminate();
  }

  #start(): Worker {
    const activity = newActivity();
    const worker = this.#spawn({ ...this.#data, activity });
    watch(activity);
    worker.on('message', (message: FromSearchThread) => this.#take(message));
    worker.on('error', (error) => {
      // Of an open search nobody else says why it fails.
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

  #take(message: FromSearchThread): void {
    if ('size' in message) {
      this.#opened?.resolve(message.size);
      this.#opened = null;
      this.#release();
      return;
    }
    const { id, labels, similarities } = message;
    this.#waiting.get(id)?.resolve(Array.from(labels, (label, at) => ({ label, similarity: similarities[at]! })));
    this.#waiting.delete(id);
    this.#release();
  }

  #fail(error: Error): void {
    this.#opened?.reject(error);
    this.#opened = null;
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of all) reject(new SearchUnavailableError(error));
  }
}

function spawnThread(workerData: SearchThreadData): Worker {
  return new Worker(new URL('./search-worker.js', import.meta.url), { workerData });
}

interface Waiting {
  readonly resolve: (near: readonly Neighbour[]) => void;
  readonly reject: (error: Error) => void;
}
