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
   * Never fewer than the index allows: min(k, accepted labels). A promise where that takes longer than a turn of the event loop may.
   */
  search(query: Float32Array, k: number, accept?: (label: number) => boolean): Neighbour[] | Promise<Neighbour[]>;
}

/** Search by comparing with every vector: the truth that graphs are measured against, and the index of small catalogues. */
export interface ExactIndex extends VectorIndex {
  search(query: Float32Array, k: number, accept?: (label: number) => boolean): Neighbour[];
}

/** @param vectors unit vectors, row-major: label × dims */
export function exactIndex(vectors: Float32Array, dims: number): ExactIndex {
  const size = vectors.length / dims;
  return {
    size,
    search(query, k, accept) {
      const nearest = new NearestRows(vectors, query, k);
      for (let label = 0; label < size; label++) if (accept?.(label) ?? true) nearest.compare(label);
      return nearest.found;
    },
  };
}

/** The nearest of the rows that it is shown, one after the other. */
export class NearestRows {
  /** Best first. */
  readonly found: Neighbour[] = [];
  readonly #vectors: Float32Array;
  readonly #query: Float32Array;
  readonly #k: number;

  /** @param vectors unit vectors, row-major: label × the query's length */
  constructor(vectors: Float32Array, query: Float32Array, k: number) {
    this.#vectors = vectors;
    this.#query = query;
    this.#k = k;
  }

  /** Of equal ones the one that is shown first goes first. */
  compare(label: number): void {
    const { found } = this;
    const similarity = dot(this.#vectors, label * this.#query.length, this.#query);
    if (found.length === this.#k && !(similarity > found[found.length - 1]!.similarity)) return;
    let at = found.length;
    while (at > 0 && found[at - 1]!.similarity < similarity) at--;
    found.splice(at, 0, { label, similarity });
    if (found.length > this.#k) found.pop();
  }
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
