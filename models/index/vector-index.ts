/** One stored vector near a query: its label (position in the snapshot) and cosine similarity in [-1, 1]. */
export interface Neighbour {
  readonly label: number;
  readonly similarity: number;
}

/** Read-only nearest-neighbour search over unit vectors. */
export interface VectorIndex {
  readonly size: number;
  /**
   * The `k` most similar labels that `accept` lets through, best first; equal similarity is ordered by label.
   * Never fewer than the index allows: min(k, accepted labels).
   */
  search(query: Float32Array, k: number, accept?: (label: number) => boolean): Neighbour[];
}

/**
 * Search by comparing with every vector: the truth that the graph is measured against, the index of small
 * catalogues, and the last resort of a narrow filter.
 *
 * @param vectors unit vectors, row-major: label × dims
 */
export function exactIndex(vectors: Float32Array, dims: number): VectorIndex {
  const size = vectors.length / dims;
  return {
    size,
    search(query, k, accept) {
      const best: Neighbour[] = [];
      for (let label = 0; label < size; label++) {
        if (accept !== undefined && !accept(label)) continue;
        const similarity = dot(vectors, label * dims, query);
        if (best.length < k || similarity > best[best.length - 1]!.similarity) insert(best, { label, similarity }, k);
      }
      return best;
    },
  };
}

/** Inner product of `query` with the row that starts at `from`; the cosine, for unit vectors. */
export function dot(vectors: Float32Array, from: number, query: Float32Array): number {
  // Four sums, so that the additions do not wait for each other.
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let at = 0;
  for (; at + 3 < query.length; at += 4) {
    a += vectors[from + at]! * query[at]!;
    b += vectors[from + at + 1]! * query[at + 1]!;
    c += vectors[from + at + 2]! * query[at + 2]!;
    d += vectors[from + at + 3]! * query[at + 3]!;
  }
  for (; at < query.length; at++) a += vectors[from + at]! * query[at]!;
  return a + b + c + d;
}

/** A vector of the same direction and of length 1; zero stays zero. */
export function normalised(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, 0, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** Keeps `best` sorted, best first; a later label goes behind an equal earlier one. */
function insert(best: Neighbour[], neighbour: Neighbour, k: number): void {
  let at = best.length;
  while (at > 0 && best[at - 1]!.similarity < neighbour.similarity) at--;
  best.splice(at, 0, neighbour);
  if (best.length > k) best.pop();
}
