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
