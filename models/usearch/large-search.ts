import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CatalogueSearch,
  type Found,
  type Exclusions,
  OVERFETCH,
  type SearchFilter,
  type VectorRows,
  WIDE,
} from '../index/catalogue-search.js';
import type { Neighbour } from '../index/vector-index.js';
import type { Creative } from '../schema/creative.js';
import { languageKey } from '../text/language-tag.js';
import { TURN } from '../../platform/time/in-turns.js';
import { firstLabels } from './labels.js';
import { SearchThread, type SearchThreadOptions } from './search-thread.js';

/**
 * At most so many of the creatives that a filter lets through are compared one by one, the first in the catalogue: asking about all of a
 * large one would keep the event loop busy for long.
 */
export const MOST_COMPARED = 5000;
/** For so many filters it is remembered what their feeds let through: at most four bytes for each creative. */
const REMEMBERED = 16;

export interface LargeSearchOptions extends SearchThreadOptions {
  readonly creatives: readonly Creative[];
}

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
    let found: readonly Neighbour[] = [];
    for (const count of [k + OVERFETCH, WIDE]) {
      const fetched = await this.#thread.ask(query, count, null);
      found = fetched.filter(({ label }) => filter.accept(label));
      if (found.length >= k || fetched.length >= this.size) return found.slice(0, k);
    }
    const accepted = await this.#accepted(filter);
    if (accepted.length < MOST_COMPARED) return this.#thread.ask(query, k, accepted);
    const among = new Set([...accepted, ...found.map(({ label }) => label)]);
    return this.#thread.ask(query, k, Uint32Array.from(among).sort());
  }

  /** The first that it lets through. */
  async #accepted(filter: SearchFilter): Promise<Uint32Array> {
    const among = await this.#notExcluded(filter.exclusions?.());
    return filterInTurns(among, filter.accept, MOST_COMPARED);
  }

  /** What a filter's known part lets through: asked for again and again, by publisher and language. */
  #notExcluded(exclusions: Exclusions | undefined): Promise<Uint32Array> {
    const key = JSON.stringify(exclusions ?? null);
    const known = this.#letThrough.get(key);
    this.#letThrough.delete(key);
    const labels = known ?? this.#walk(exclusions);
    this.#letThrough.set(key, labels);
    for (const oldest of this.#letThrough.keys()) {
      if (this.#letThrough.size <= REMEMBERED) break;
      this.#letThrough.delete(oldest);
    }
    return labels;
  }

  #walk(exclusions: Exclusions | undefined): Promise<Uint32Array> {
    const all = firstLabels(this.size);
    if (exclusions === undefined) return Promise.resolve(all);
    const isExcluded = testOf(exclusions);
    return filterInTurns(all, (label) => !isExcluded(this.#creatives[label]!));
  }
}

async function filterInTurns(
  labels: Uint32Array,
  accept: (label: number) => boolean,
  most = labels.length,
): Promise<Uint32Array> {
  const accepted = new Uint32Array(Math.min(most, labels.length));
  let count = 0;
  for (let at = 0; at < labels.length && count < accepted.length; at++) {
    if (at % TURN === TURN - 1) await nextTurn();
    if (accept(labels[at]!)) accepted[count++] = labels[at]!;
  }
  return accepted.slice(0, count);
}

function testOf({ categories, advertisers, languagesBut }: Exclusions): (creative: Creative) => boolean {
  const [blocked, unwanted] = [new Set(categories), new Set(advertisers)];
  const spoken = languagesBut && new Set<string>(languagesBut);
  return ({ categories: own, advertiser, language }) =>
    own.some((category) => blocked.has(category.toLowerCase())) ||
    (advertiser !== null && unwanted.has(advertiser.toLowerCase())) ||
    (spoken !== null && language !== undefined && !spoken.has(languageKey(language)));
}
