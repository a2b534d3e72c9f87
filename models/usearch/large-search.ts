import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CatalogueSearch,
  type Neighbours,
  type Exclusions,
  OVERFETCH,
  type SearchFilter,
  type VectorRows,
  WIDE,
} from '../index/catalogue-search.js';
import type { Neighbour } from '../index/vector-index.js';
import type { Creative } from '../schema/creative.js';
import { languageKey } from '../text/language-tag.js';
import { BATCH } from '../../platform/time/in-batches.js';
import { labelsUpTo } from './labels.js';
import { SearchThread, type SearchThreadOptions } from './search-thread.js';

/**
 * Max number of accepted creatives that are compared one by one: the first in the catalogue. Running the filter on all
 * of a large catalogue would block the event loop for long.
 */
export const MAX_COMPARED = 5000;
/** Number of exclusions whose remaining labels are cached: at most four bytes per creative each. */
const CACHED = 16;

export interface LargeSearchOptions extends SearchThreadOptions {
  readonly creatives: readonly Creative[];
}

/**
 * Opens the search of a large catalogue in a thread of its own. The thread searches the graph, and compares one by one
 * what a narrow filter accepts. The event loop only runs the filter itself, in batches. The thread ends when the search
 * is garbage-collected.
 *
 * @throws Error if the file is not a graph over these vectors
 */
export async function openLargeSearch(options: LargeSearchOptions): Promise<CatalogueSearch> {
  const thread = new SearchThread(options);
  const size = await thread.opened();
  if (size !== options.creatives.length) {
    thread.end();
    throw new Error(`holds ${size} vectors`);
  }
  const search = new LargeSearch(thread, options);
  endOnCollection.register(search, thread);
  return search;
}

// Nothing closes a snapshot explicitly: the last request that references it just ends.
const endOnCollection = new FinalizationRegistry<SearchThread>((thread) => thread.end());

class LargeSearch implements CatalogueSearch {
  readonly size: number;
  readonly #thread: SearchThread;
  readonly #creatives: readonly Creative[];
  readonly #rows: VectorRows;
  readonly #notExcludedByKey = new Map<string, Promise<Uint32Array>>();

  constructor(thread: SearchThread, { dims, vectors, creatives }: LargeSearchOptions) {
    this.size = creatives.length;
    this.#thread = thread;
    this.#creatives = creatives;
    this.#rows = { dims, vectors, from: (label) => label * dims };
  }

  rows(): VectorRows {
    return this.#rows;
  }

  async nearest(query: Float32Array, k: number, _also: readonly number[], filter?: SearchFilter): Promise<Neighbours> {
    return { near: await this.#near(query, k, filter), rows: this.#rows };
  }

  async #near(query: Float32Array, k: number, filter: SearchFilter | undefined): Promise<readonly Neighbour[]> {
    if (filter === undefined) return this.#thread.ask(query, k, null);
    let found: readonly Neighbour[] = [];
    for (let count = k + OVERFETCH; count !== 0; count = nextCount(count, k, found.length)) {
      const fetched = await this.#thread.ask(query, count, null);
      found = fetched.filter(({ label }) => filter.accept(label));
      if (found.length >= k || fetched.length >= this.size) return found.slice(0, k);
    }
    const accepted = await this.#accepted(filter);
    if (accepted.length < MAX_COMPARED) return this.#thread.ask(query, k, accepted);
    const among = new Set([...accepted, ...found.map(({ label }) => label)]);
    return this.#thread.ask(query, k, Uint32Array.from(among).sort());
  }

  /** Returns the first `MAX_COMPARED` labels that the filter accepts. */
  async #accepted(filter: SearchFilter): Promise<Uint32Array> {
    const among = await this.#notExcluded(filter.exclusions?.());
    return filterInBatches(among, filter.accept, MAX_COMPARED);
  }

  /** Returns the labels that remain after exclusions. Cached, since the same publishers and languages recur. */
  #notExcluded(exclusions: Exclusions | undefined): Promise<Uint32Array> {
    const key = JSON.stringify(exclusions ?? null);
    const known = this.#notExcludedByKey.get(key);
    this.#notExcludedByKey.delete(key);
    const labels = known ?? this.#findNotExcluded(exclusions);
    this.#notExcludedByKey.set(key, labels);
    for (const oldest of this.#notExcludedByKey.keys()) {
      if (this.#notExcludedByKey.size <= CACHED) break;
      this.#notExcludedByKey.delete(oldest);
    }
    return labels;
  }

  #findNotExcluded(exclusions: Exclusions | undefined): Promise<Uint32Array> {
    const all = labelsUpTo(this.size);
    if (exclusions === undefined) return Promise.resolve(all);
    const isExcluded = exclusionTest(exclusions);
    return filterInBatches(all, (label) => !isExcluded(this.#creatives[label]!));
  }
}

/**
 * Returns how many candidates to fetch after `accepted` of `count` were too few: half as many again as would have
 * sufficed, at most `WIDE`; 0 when that many were fetched.
 */
function nextCount(count: number, k: number, accepted: number): number {
  if (count >= WIDE) return 0;
  return Math.min(WIDE, Math.ceil((1.5 * k * count) / Math.max(accepted, 1)));
}

async function filterInBatches(
  labels: Uint32Array,
  accept: (label: number) => boolean,
  max = labels.length,
): Promise<Uint32Array> {
  const accepted = new Uint32Array(Math.min(max, labels.length));
  let count = 0;
  for (let at = 0; at < labels.length && count < accepted.length; at++) {
    if (at % BATCH === BATCH - 1) await nextTurn();
    if (accept(labels[at]!)) accepted[count++] = labels[at]!;
  }
  return accepted.slice(0, count);
}

function exclusionTest(exclusions: Exclusions): (creative: Creative) => boolean {
  const { categories, advertisers, languagesOtherThan, countriesOtherThan: country } = exclusions;
  const [blocked, unwanted] = [new Set(categories), new Set(advertisers)];
  const allowed = languagesOtherThan && new Set<string>(languagesOtherThan);
  return ({ categories: own, advertiser, language, countries }) =>
    own.some((category) => blocked.has(category.toLowerCase())) ||
    (advertiser !== null && unwanted.has(advertiser.toLowerCase())) ||
    (allowed !== null && language !== undefined && !allowed.has(languageKey(language))) ||
    (countries !== undefined && (country === null || !countries.includes(country)));
}
