import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CatalogueSearch } from '../models/index/catalogue-search.js';
import { FeedRefusedError } from './accept-feed.js';
import { answerExactly, type ExactNeighbours, NEIGHBOURS, sampleQueries } from './exact-neighbours.js';

/** The indexer does not publish an index that finds less than this share of the true neighbours. */
const MIN_RECALL = 0.95;

// The graph's sums and ours round differently; this tolerance makes equal vectors count the same.
const ROUNDING = 1e-5;

/**
 * Measures recall@10 against the exact search. Each query lies between two creatives, as contexts do. The same vectors
 * give the same queries.
 *
 * @param vectors unit vectors, row-major: label × dims
 * @param answers results of `answerExactly` for the same vectors
 * @returns 0 to 1; 1 for an empty index
 */
export async function measureRecall(
  search: CatalogueSearch,
  vectors: Float32Array,
  dims: number,
  answers: readonly ExactNeighbours[] = answerExactly(vectors, dims),
): Promise<number> {
  let found = 0;
  let expected = 0;
  for (const [at, query] of sampleQueries(vectors, dims).entries()) {
    await nextTurn();
    const { count, least } = answers[at]!;
    expected += count;
    const { near } = await search.nearest(query, NEIGHBOURS, []);
    found += near.filter(({ similarity }) => similarity >= least - ROUNDING).length;
  }
  return expected === 0 ? 1 : found / expected;
}

/** Returns whether an index with this recall may be published. */
export function isRecallEnough(recall: number): boolean {
  return recall >= MIN_RECALL;
}

/** @throws FeedRefusedError if the index would miss too many creatives */
export function refuseLowRecall(recall: number): void {
  if (isRecallEnough(recall)) return;
  throw new FeedRefusedError(
    `Recall is ${recall.toFixed(3)}, below ${MIN_RECALL}; nothing was published. Check whether thousands of creatives have ` +
      'nearly the same text; if not, raise the widths in models/index/graph.ts (from 20,000 creatives on, models/usearch/large-graph.ts).',
  );
}
