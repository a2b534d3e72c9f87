import { exactIndex } from './exact.js';
import type { Graph } from './graph.js';
import type { VectorIndex } from './vector-index.js';

/** Up to this many vectors the exact scan takes half a millisecond at most, and exact is worth that (npm run bench -- search). */
const EXACT_UP_TO = 500;

/** How many more than asked for are fetched from the graph when a filter applies, before scanning. */
const OVERFETCH = 64;

/**
 * The index that serves: the graph for large catalogues, the exact scan for small ones. A filter is answered by
 * fetching more than asked for; where that leaves too few, by an exact scan, so that no filter ever
 * costs results that the catalogue has.
 *
 * @param vectors unit vectors, row-major: label × dims, the ones that the graph was built over
 */
export function catalogueIndex(graph: Graph, vectors: Float32Array, dims: number): VectorIndex {
  const exact = exactIndex(vectors, dims);
  if (exact.size <= EXACT_UP_TO) return exact;
  return {
    size: exact.size,
    search(query, k, accept) {
      const fetched = graph.nearest(query, accept === undefined ? k : k + OVERFETCH);
      const found = accept === undefined ? fetched : fetched.filter(({ label }) => accept(label));
      return found.length >= k || fetched.length >= exact.size ? found.slice(0, k) : exact.search(query, k, accept);
    },
  };
}
