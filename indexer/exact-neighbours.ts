import { exactIndex, normalised } from '../models/index/vector-index.js';

const QUERIES = 100;
/** Recall is measured over this many neighbours. */
export const NEIGHBOURS = 10;

/** Result of the exact search for one query: how many neighbours it found, and the similarity of the last one. */
export interface ExactNeighbours {
  readonly count: number;
  readonly least: number;
}

/** Answers the queries of `sampleQueries` by exact search: 100 scans of all vectors, on the calling thread. */
export function answerExactly(vectors: Float32Array, dims: number): ExactNeighbours[] {
  const exact = exactIndex(vectors, dims);
  return sampleQueries(vectors, dims).map((query) =>
    answerOf(exact.search(query, NEIGHBOURS).map(({ similarity }) => similarity)),
  );
}

/** @param similarities those of the nearest neighbours, highest first */
export function answerOf(similarities: readonly number[]): ExactNeighbours {
  return { count: similarities.length, least: similarities.at(-1) ?? 0 };
}

/** Returns the queries that measure recall. @param vectors unit vectors, row-major: label × dims */
export function sampleQueries(vectors: Float32Array, dims: number): Float32Array[] {
  const size = vectors.length / dims;
  const count = Math.min(QUERIES, size);
  return Array.from({ length: count }, (_, at) => {
    const near = Math.floor((at * size) / count) * dims;
    const far = ((at * 7919 + 13) % size) * dims;
    return normalised(vectors.slice(near, near + dims).map((value, dim) => 0.7 * value + 0.3 * vectors[far + dim]!));
  });
}
