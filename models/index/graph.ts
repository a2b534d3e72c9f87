import { setImmediate as nextTurn } from 'node:timers/promises';
import hnswlib from 'hnswlib-node';
import { OVERFETCH } from './catalogue-search.js';
import { exactIndex, type Neighbour, NearestRows, type VectorIndex } from './vector-index.js';

/*
 * HNSW graph (Malkov and Yashunin, arXiv:1603.09320) by hnswlib. Vectors have unit length, so the inner product space
 * gives the cosine without the library normalising again.
 */
const SPACE = 'ip';
/** Links per node, and search width while building. Together with `SEARCH_WIDTH`: recall@10 ≥ 0.99 on 6,000 ads. */
export const GRAPH = { links: 16, buildWidth: 200 } as const;
const SEARCH_WIDTH = 128;
// With a fixed seed, the same vectors give the same bytes.
const SEED = 100;

/** A built graph; immutable. */
export interface Graph {
  readonly size: number;
  /** Returns the approximately `k` most similar labels, best first; at most `size`. */
  nearest(query: Float32Array, k: number): Neighbour[];
  save(file: string): Promise<void>;
}

/**
 * Builds a graph over unit vectors, row-major: label × dims. Blocks the calling thread for about a millisecond per
 * vector.
 *
 * @param onProgress called periodically with the number of vectors done
 */
export function buildGraph(vectors: Float32Array, dims: number, onProgress?: (done: number) => void): Graph {
  const index = new hnswlib.HierarchicalNSW(SPACE, dims);
  const size = vectors.length / dims;
  index.initIndex({
    maxElements: Math.max(1, size),
    m: GRAPH.links,
    efConstruction: GRAPH.buildWidth,
    randomSeed: SEED,
  });
  for (let label = 0; label < size; label++) {
    index.addPoint(rowOf(vectors, dims, label), label);
    if (label % 100 === 99) onProgress?.(label + 1);
  }
  onProgress?.(size);
  return graphOver(index);
}

/**
 * Adds vectors to a saved graph. Blocks the calling thread, also while reading and writing the file: hnswlib's promises
 * do not keep an index from being garbage-collected while it is written.
 *
 * @param vectors row-major: label × dims
 * @param labels the labels to add, none of which the graph has yet
 * @param onProgress called periodically with the number of vectors done
 */
export function addToGraph(
  file: string,
  vectors: Float32Array,
  dims: number,
  labels: readonly number[],
  onProgress?: (done: number) => void,
): void {
  const index = new hnswlib.HierarchicalNSW(SPACE, dims);
  index.readIndexSync(file);
  index.resizeIndex(vectors.length / dims);
  for (const [at, label] of labels.entries()) {
    index.addPoint(rowOf(vectors, dims, label), label);
    if (at % 100 === 99) onProgress?.(at + 1);
  }
  index.writeIndexSync(file);
}

/** Copies a row into the plain array that hnswlib requires. */
function rowOf(vectors: Float32Array, dims: number, label: number): number[] {
  return Array.from(vectors.subarray(label * dims, (label + 1) * dims));
}

/** Reads a saved graph off the event loop. @throws Error if the file is not a graph of these dims */
export async function loadGraph(file: string, dims: number): Promise<Graph> {
  const index = new hnswlib.HierarchicalNSW(SPACE, dims);
  await index.readIndex(file);
  return graphOver(index);
}

function graphOver(index: hnswlib.HierarchicalNSW): Graph {
  // hnswlib does not save the search width.
  index.setEf(SEARCH_WIDTH);
  const size = index.getCurrentCount();
  return {
    size,
    nearest(query, k) {
      if (size === 0) return [];
      if (k > SEARCH_WIDTH) index.setEf(k);
      const { neighbors, distances } = index.searchKnn(Array.from(query), Math.min(k, size));
      if (k > SEARCH_WIDTH) index.setEf(SEARCH_WIDTH);
      return neighbors
        .map((label, at) => ({ label, similarity: 1 - distances[at]! }))
        .toSorted((a, b) => b.similarity - a.similarity || a.label - b.label);
    },
    async save(file) {
      await index.writeIndex(file);
    },
  };
}

/**
 * Up to this many vectors an exact scan takes at most half a millisecond, which exact results are worth
 * (npm run bench -- search).
 */
export const EXACT_UP_TO = 500;

/** Components multiplied between two turns of the event loop: about a millisecond. */
const BATCH = 1 << 20;

/**
 * Creates the index that serves requests: the graph for large catalogues, an exact scan for small ones. With a filter
 * it fetches extra candidates. If the filter leaves too few of them, it scans all vectors, so a filter never loses
 * results that the catalogue has. A long scan yields to the event loop at intervals.
 *
 * @param vectors the unit vectors that the graph was built over, row-major: label × dims
 */
export function catalogueIndex(graph: Graph, vectors: Float32Array, dims: number): VectorIndex {
  const exact = exactIndex(vectors, dims);
  if (exact.size <= EXACT_UP_TO) return exact;
  return {
    size: exact.size,
    search(query, k, accept) {
      const fetched = graph.nearest(query, accept === undefined ? k : k + OVERFETCH);
      const found = accept === undefined ? fetched : fetched.filter(({ label }) => accept(label));
      if (found.length >= k || fetched.length >= exact.size) return found.slice(0, k);
      return vectors.length <= BATCH ? exact.search(query, k, accept) : searchInBatches(vectors, query, k, accept);
    },
  };
}

async function searchInBatches(
  vectors: Float32Array,
  query: Float32Array,
  k: number,
  accept: ((label: number) => boolean) | undefined,
): Promise<Neighbour[]> {
  const nearest = new NearestRows(vectors, query, k);
  const size = vectors.length / query.length;
  const rows = Math.ceil(BATCH / query.length);
  for (let label = 0; label < size; label++) {
    if (label % rows === rows - 1) await nextTurn();
    if (accept?.(label) ?? true) nearest.compare(label);
  }
  return nearest.found;
}
