import { setImmediate as nextTurn } from 'node:timers/promises';
import { exactIndex, normalised, type VectorIndex } from '../models/index/vector-index.js';
import { FeedRefusedError } from './accept-feed.js';

/** Below this share of right neighbours an index is not published. */
const MIN_RECALL = 0.95;

const QUERIES = 100;
const NEIGHBOURS = 10;
// Rounding differs between the graph's sums and ours; equal vectors count alike.
const ROUNDING = 1e-5;

/**
 * Measures recall@10 against the exact search. Queries lie between two creatives, as contexts do, and are the
 * same for the same vectors.
 *
 * @param vectors unit vectors, row-major: label × dims
 * @returns 0 to 1; 1 for an empty index
 */
export async function measureRecall(index: VectorIndex, vectors: Float32Array, dims: number): Promise<number> {
  const exact = exactIndex(vectors, dims);
  let found = 0;
  let expected = 0;
  for (const query of sampleQueries(vectors, dims)) {
    await nextTurn();
    const truth = exact.search(query, NEIGHBOURS);
    const least = (truth.at(-1)?.similarity ?? 0) - ROUNDING;
    expected += truth.length;
    found += index.search(query, NEIGHBOURS).filter(({ similarity }) => similarity >= least).length;
  }
  return expected === 0 ? 1 : found / expected;
}

/** Whether an index of this recall may be published. */
export function isRecallEnough(recall: number): boolean {
  return recall >= MIN_RECALL;
}

/** @throws FeedRefusedError when an index would miss too many creatives */
export function refuseLowRecall(recall: number): void {
  if (isRecallEnough(recall)) return;
  throw new FeedRefusedError(
    `Recall is ${recall.toFixed(3)}, below ${MIN_RECALL}; nothing was published. Look whether thousands of creatives share ` +
      'nearly one text; if not, raise the widths in models/index/graph.ts.',
  );
}

function* sampleQueries(vectors: Float32Array, dims: number): Generator<Float32Array> {
  const size = vectors.length / dims;
  const count = Math.min(QUERIES, size);
  for (let at = 0; at < count; at++) {
    const near = Math.floor((at * size) / count) * dims;
    const far = ((at * 7919 + 13) % size) * dims;
    const query = vectors.slice(near, near + dims).map((value, dim) => 0.7 * value + 0.3 * vectors[far + dim]!);
    yield normalised(query);
  }
}
