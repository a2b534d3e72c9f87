import type { Neighbour, VectorIndex } from './vector-index.js';

/**
 * Search for the creatives of one snapshot that are nearest to a query, wherever their vectors are kept: in this
 * process (`memorySearch`), in a thread of it (`models/usearch`), or in PostgreSQL (`models/pgvector`). A search in
 * memory returns its result without a promise if it is quick.
 */
export interface CatalogueSearch {
  readonly size: number;
  /**
   * Finds the `k` nearest creatives that the filter accepts, best first; ties are ordered by label. Returns fewer if
   * the filter accepts fewer. Searches outside this thread's memory may also return fewer, or farther ones, if the
   * filter rejects nearly all of the nearest thousand and still accepts thousands.
   *
   * @param query as long as a row
   * @param also labels whose rows are needed too; the result has rows for the first `k` of them that are not among the
   * nearest
   * @throws SearchUnavailableError
   */
  nearest(
    query: Float32Array,
    k: number,
    also: readonly number[],
    filter?: SearchFilter,
  ): Neighbours | Promise<Neighbours>;
  /** Returns the exact stored vectors of these labels. @throws SearchUnavailableError */
  rows(labels: readonly number[]): VectorRows | Promise<VectorRows>;
}

/** Number of extra candidates in the first fetch if a filter applies. */
export const OVERFETCH = 64;
/**
 * Number of candidates in the second fetch of a search outside this thread's memory. If the filter rejects too many of
 * them, the search compares all accepted creatives one by one.
 */
export const WIDE = 1000;

/** Result of a search, with the vectors that ranking needs. */
export interface Neighbours {
  readonly near: readonly Neighbour[];
  readonly rows: VectorRows;
}

/** Unit vectors by label. */
export interface VectorRows {
  readonly dims: number;
  /** The rows, concatenated. */
  readonly vectors: Float32Array;
  /** Returns where a label's row begins in `vectors`; defined only for requested labels. */
  from(label: number): number;
}

/** Filter for the creatives that a search may return. */
export interface SearchFilter {
  /** The authoritative test. Its result for a label may change while a search waits. */
  readonly accept: (label: number) => boolean;
  /** Creatives that `accept` always rejects, for searches outside this thread. Absent: none are known in advance. */
  readonly exclusions?: () => Exclusions;
}

/** Excluded creatives, by fields that their feed sets. */
export interface Exclusions {
  /** Excludes creatives with any of these categories; in lower case. */
  readonly categories: readonly string[];
  /** Excludes creatives of these advertisers; in lower case. */
  readonly advertisers: readonly string[];
  /** Excludes creatives that declare a language other than these (`languageKey`). Null: excludes none. */
  readonly languagesOtherThan: readonly string[] | null;
  /** Excludes creatives that are only for other countries than this. Null: all that are only for certain countries. */
  readonly countriesOtherThan: string | null;
}

/** A search that is temporarily unavailable although the catalogue is loaded. */
export class SearchUnavailableError extends Error {
  override readonly name = 'SearchUnavailableError';
  readonly retryAfterSeconds = 1;
  constructor(cause?: unknown) {
    super('the search does not answer', { cause });
  }
}

/**
 * Wraps an index in this process's memory as a `CatalogueSearch`.
 *
 * @param vectors the unit vectors of the index, row-major: label × dims
 */
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
