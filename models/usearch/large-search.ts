import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  type CatalogueSearch,
  type Found,
  type KeptOut,
  type SearchFilter,
  SearchUnavailableError,
  type VectorRows,
} from '../index/catalogue-search.js';
import type { Neighbour } from '../index/vector-index.js';
import type { Creative } from '../schema/creative.js';
import { languageKey } from '../text/language-tag.js';
import { newActivity, unwatch, watch } from '../threads/at-exit.js';
import { firstLabels } from './labels.js';
import type { FromSearchThread, Question, SearchThreadData } from './search-worker.js';

/** How many more than asked for are fetched first where a filter applies. */
const OVERFETCH = 64;
/** How many are fetched next, before what the filter lets through is compared one by one. */
const WIDE = 1000;
/** Creatives that a filter is asked about between two turns of the event loop: a millisecond or two. */
const TURN = 2000;
/** For so many filters it is remembered what their feeds let through: at most four bytes for each creative. */
const REMEMBERED = 16;

export interface LargeSearchOptions {
  /** The graph, of a snapshot that has been verified. */
  readonly file: string;
  readonly dims: number;
  /** Unit vectors, row-major: label × dims, over shared memory. */
  readonly vectors: Float32Array;
  readonly creatives: readonly Creative[];
  /** Starts the thread; default: `search-worker.js` beside this file. */
  readonly spawn?: (data: SearchThreadData) => Worker;
  /** Milliseconds from any moment on. */
  readonly elapsed?: () => number;
}

/** After a thread has died none is started for so long. */
const REST_MS = 1000;

/**
 * Searches a large catalogue in a thread of its own: the graph for what is near, and one by one what a narrow filter lets through.
 * The event loop is kept from nothing but its own part of a filter, in turns. The thread ends when nothing holds this any more.
 *
 * @throws Error when the file is not a graph over these vectors
 */
export async function openLargeSearch(options: LargeSearchOptions): Promise<CatalogueSearch> {
  const thread = new SearchThread(options);
  const size = await thread.opened();
  if (size !== options.creatives.length) {
    thread.end();
    throw new Error(`holds ${size} vectors`);
  }
  const search = new LargeSearch(thread, options);
  unheld.register(search, thread);
  return search;
}

// A snapshot is let go without a word, by whichever request was the last to hold it.
const unheld = new FinalizationRegistry<SearchThread>((thread) => thread.end());

class LargeSearch implements CatalogueSearch {
  readonly size: number;
  readonly #thread: SearchThread;
  readonly #creatives: readonly Creative[];
  readonly #rows: VectorRows;
  readonly #letThrough = new Map<string, Promise<Uint32Array>>();

  constructor(thread: SearchThread, { dims, vectors, creatives }: LargeSearchOptions) {
    this.size = creatives.length;
    this.#thread = thread;
    this.#creatives = creatives;
    this.#rows = { dims, vectors, from: (label) => label * dims };
  }

  rows(): VectorRows {
    return this.#rows;
  }

  async nearest(query: Float32Array, k: number, _also: readonly number[], filter?: SearchFilter): Promise<Found> {
    return { near: await this.#near(query, k, filter), rows: this.#rows };
  }

  async #near(query: Float32Array, k: number, filter: SearchFilter | undefined): Promise<readonly Neighbour[]> {
    if (filter === undefined) return this.#thread.ask(query, k, null);
    for (const count of [k + OVERFETCH, WIDE]) {
      const fetched = await this.#thread.ask(query, count, null);
      const found = fetched.filter(({ label }) => filter.accept(label));
      if (found.length >= k || fetched.length >= this.size) return found.slice(0, k);
    }
    return this.#thread.ask(query, k, await this.#accepted(filter));
  }

  async #accepted(filter: SearchFilter): Promise<Uint32Array> {
    const among = await this.#notKeptOut(filter.keptOut?.());
    return filterInTurns(among, filter.accept);
  }

  /** What a filter's known part lets through: asked for again and again, by publisher and language. */
  #notKeptOut(keptOut: KeptOut | undefined): Promise<Uint32Array> {
    const key = JSON.stringify(keptOut ?? null);
    const known = this.#letThrough.get(key);
    this.#letThrough.delete(key);
    const labels = known ?? this.#walk(keptOut);
    this.#letThrough.set(key, labels);
    for (const oldest of this.#letThrough.keys()) {
      if (this.#letThrough.size <= REMEMBERED) break;
      this.#letThrough.delete(oldest);
    }
    return labels;
  }

  #walk(keptOut: KeptOut | undefined): Promise<Uint32Array> {
    const all = firstLabels(this.size);
    if (keptOut === undefined) return Promise.resolve(all);
    const isKeptOut = testOf(keptOut);
    return filterInTurns(all, (label) => !isKeptOut(this.#creatives[label]!));
  }
}

async function filterInTurns(labels: Uint32Array, accept: (label: number) => boolean): Promise<Uint32Array> {
  const accepted = new Uint32Array(labels.length);
  let count = 0;
  for (let at = 0; at < labels.length; at++) {
    if (at % TURN === TURN - 1) await nextTurn();
    if (accept(labels[at]!)) accepted[count++] = labels[at]!;
  }
  return accepted.slice(0, count);
}

function testOf({ categories, advertisers, languagesBut }: KeptOut): (creative: Creative) => boolean {
  const [blocked, unwanted] = [new Set(categories), new Set(advertisers)];
  const spoken = languagesBut && new Set<string>(languagesBut);
  return ({ categories: own, advertiser, language }) =>
    own.some((category) => blocked.has(category.toLowerCase())) ||
    (advertiser !== null && unwanted.has(advertiser.toLowerCase())) ||
    (spoken !== null && language !== undefined && !spoken.has(languageKey(language)));
}

/** The thread, and who waits for its answers. Nothing in it knows the search, so that the search can be collected. */
class SearchThread {
  readonly #data: Omit<SearchThreadData, 'activity'>;
  readonly #spawn: (data: SearchThreadData) => Worker;
  readonly #elapsed: () => number;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null;
  /** When the last one ended by itself. */
  #endedAt = -Infinity;
  #asked = 0;
  #opened: { readonly resolve: (size: number) => void; readonly reject: (error: Error) => void } | null = null;

  constructor({ file, dims, vectors, spawn = spawnThread, elapsed = () => performance.now() }: LargeSearchOptions) {
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
