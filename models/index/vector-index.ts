/** One stored vector near a query: its label (position in the snapshot) and cosine similarity in [-1, 1]. */
export interface Neighbour {
  readonly label: number;
  readonly similarity: number;
}

/** Read-only nearest-neighbour search over unit vectors. */
export interface VectorIndex {
  readonly size: number;
  /**
   * Returns the `k` most similar labels that `accept` accepts, best first; ties are ordered by label. The result always
   * has min(k, accepted labels) entries. Returns a promise if the search would block the event loop for too long.
   */
  search(query: Float32Array, k: number, accept?: (label: number) => boolean): Neighbour[] | Promise<Neighbour[]>;
}

/** Search that compares with every vector: the reference for measuring graphs, and the index of small catalogues. */
export interface ExactIndex extends VectorIndex {
  search(query: Float32Array, k: number, accept?: (label: number) => boolean): Neighbour[];
}

/** Creates an exact index. @param vectors unit vectors, row-major: label × dims */
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

/** Collects the `k` nearest of the rows passed to `compare`. */
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

  /** Compares one row with the query. Of equally similar rows, the one compared first ranks first. */
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

/** Computes the inner product of `query` with the row that starts at `from`: the cosine, for unit vectors. */
export function dot(vectors: Float32Array, from: number, query: Float32Array): number {
  // Four independent sums, so that additions do not wait for each other.
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

/** Returns the vector scaled to length 1; a zero vector stays zero. */
export function normalised(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, 0, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}
