import type { Neighbour, VectorIndex } from './vector-index.js';

/**
 * Finds the creatives of one snapshot that are nearest to a query, wherever their vectors are kept: in this process
 * (`memorySearch`), in a thread of it (`models/usearch`), or in PostgreSQL (`models/pgvector`). What is in memory
 * answers at once, without a promise, where that is quick.
 */
export interface CatalogueSearch {
  readonly size: number;
  /**
   * The `k` nearest that the filter lets through, best first, equal ones by label. Fewer where there are no more; elsewhere than in
   * memory also fewer, or farther ones, where a filter that is known here alone leaves thousands, and next to none of the nearest
   * thousand.
   *
   * @param query as long as a row
   * @param also labels whose rows are wanted too: of the first `k` of them that are not among the nearest
   * @throws SearchUnavailableError
   */
  nearest(query: Float32Array, k: number, also: readonly number[], filter?: SearchFilter): Found | Promise<Found>;
  /** The stored vectors of these labels, exact. @throws SearchUnavailableError */
  rows(labels: readonly number[]): VectorRows | Promise<VectorRows>;
}

/** How many more than asked for are fetched first where a filter applies. */
export const OVERFETCH = 64;
/** How many are fetched next by a search elsewhere, before what the filter lets through is compared one by one. */
export const WIDE = 1000;

/** What a search found, with the vectors that its ranking needs. */
export interface Found {
  readonly near: readonly Neighbour[];
  readonly rows: VectorRows;
}

/** Unit vectors by label. */
export interface VectorRows {
  readonly dims: number;
  /** Holds the rows one behind the other. */
  readonly vectors: Float32Array;
  /** Where a label's row begins in `vectors`; only of labels that were asked for. */
  from(label: number): number;
}

/** Which creatives may be found. */
export interface SearchFilter {
  /** The whole truth; may change while a search waits. */
  readonly accept: (label: number) => boolean;
  /** What `accept` refuses in any case, for a search that happens elsewhere; absent: nothing is known. */
  readonly exclusions?: () => Exclusions;
}

/** Creatives that are not wanted, by what their feed says of them. */
export interface Exclusions {
  /** Whoever has one of these, in small letters. */
  readonly categories: readonly string[];
  /** In small letters. */
  readonly advertisers: readonly string[];
  /** Whoever declares another language than these (`languageKey`); null: any is wanted. */
  readonly languagesBut: readonly string[] | null;
}

/** The search cannot be asked now, though the catalogue is there. */
export class SearchUnavailableError extends Error {
  override readonly name = 'SearchUnavailableError';
  readonly retryAfterSeconds = 1;
  constructor(cause?: unknown) {
    super('the search does not answer', { cause });
  }
}

/** @param vectors unit vectors, row-major: label × dims, those of the index */
export function memorySearch(index: VectorIndex, vectors: Float32Array, dims: number): CatalogueSearch {
  const rows: VectorRows = { dims, vectors, from: (label) => label * dims };
  return {
    size: index.size,
    nearest: (query, k, _also, filter) => {
      const found = index.search(query, k, filter?.accept);
      return found instanceof Promise ? found.then((near) => ({ near, rows })) : { near: found, rows };
    },
    rows: () => rows,
  };
}
