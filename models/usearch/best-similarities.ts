import { type Activity, begin, setIdle } from '../../platform/threads/at-exit.js';
import { exactSearch } from './native-index.js';

/** Rows that are copied and compared at once: some tens of megabytes. */
const ROWS_AT_ONCE = 20_000;

/**
 * The similarities of the `k` nearest vectors to each query: all are compared, by all cores and several times as fast as in JavaScript.
 * Takes the calling thread.
 *
 * @param vectors unit vectors, row-major: label × dims; at least k of them
 * @param queries of the same length
 * @param activity the calling thread's, which is idle now: the end of the process waits for what is compared at once
 * @returns a query each, highest first
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
    // A copy: the addon reads no memory that threads share, nor from the middle of a buffer.
    const rows = new Float32Array(vectors.subarray(from, from + ROWS_AT_ONCE * dims));
    const most = Math.min(k, rows.length / dims);
    begin(activity);
    const [, distances] = exactSearch(rows, asked, dims, most, 'ip', 0);
    setIdle(activity);
    best = best.map((before, query) => {
      const found = Array.from(distances.subarray(query * most, (query + 1) * most), (distance) => 1 - distance);
      return [...before, ...found].toSorted((a, b) => b - a).slice(0, k);
    });
  }
  return best;
}
