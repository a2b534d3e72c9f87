import { type Activity, begin, setIdle } from '../../platform/threads/at-exit.js';
import { exactSearch } from './native-index.js';

/** Rows copied and compared at once: some tens of megabytes. */
const ROWS_AT_ONCE = 20_000;

/**
 * Computes the similarities of the `k` nearest vectors to each query by comparing all vectors, on all cores and several
 * times as fast as in JavaScript. Blocks the calling thread.
 *
 * @param vectors unit vectors, row-major: label × dims; at least k of them
 * @param queries vectors of length dims
 * @param activity that of the calling thread, currently idle; the process does not exit while a batch of rows is
 * compared
 * @returns per query, highest first
 */
export function bestSimilarities(
  vectors: Float32Array,
  dims: number,
  queries: readonly Float32Array[],
  k: number,
  activity: Activity,
): number[][] {
  const asked = new Float32Array(queries.length * dims);
  for (const [at, query] of queries.entries()) asked.set(query, at * dims);
  let best = queries.map((): number[] => []);
  for (let from = 0; from < vectors.length; from += ROWS_AT_ONCE * dims) {
    // Copied because the addon reads neither shared memory nor from the middle of a buffer.
    const rows = new Float32Array(vectors.subarray(from, from + ROWS_AT_ONCE * dims));
    const count = Math.min(k, rows.length / dims);
    begin(activity);
    const [, distances] = exactSearch(rows, asked, dims, count, 'ip', 0);
    setIdle(activity);
    best = best.map((before, query) => {
      const found = Array.from(distances.subarray(query * count, (query + 1) * count), (distance) => 1 - distance);
      return [...before, ...found].toSorted((a, b) => b - a).slice(0, k);
    });
  }
  return best;
}
