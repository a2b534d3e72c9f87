import { dot, type Neighbour, type VectorIndex } from '../index/vector-index.js';
import type { DecisionModel } from './decision-model.js';
import type { SharedWords } from './shared-words.js';

/** A catalogue, as ranking needs it. */
export interface Catalogue {
  readonly index: VectorIndex;
  readonly vectors: Float32Array;
  readonly words: SharedWords;
}

/** One creative in the order of relevance. */
export interface Candidate {
  readonly label: number;
  /** Cosine between query and creative. */
  readonly similarity: number;
  /** What shared rare words add. */
  readonly lexical: number;
  /** `similarity + lexical`: what the order goes by. Not a probability. */
  readonly relevance: number;
}

/** How many candidates a ranking has at most, beyond which the graph is not asked. */
export const DEPTH = 50;

/**
 * Ranks a catalogue against a query: the nearest by vector together with those that share the rarest words, ordered by
 * both.
 *
 * @param text where shared words are looked for
 * @param accept labels that may be answered
 * @returns at most 50, best first
 */
export function rank(
  { index, vectors, words }: Catalogue,
  query: Float32Array,
  text: string,
  { lexical }: DecisionModel,
  accept?: (label: number) => boolean,
): Candidate[] {
  const shared = lexical.weight === 0 ? new Map<number, number>() : words.scores(text);
  const near = index.search(query, DEPTH, accept);
  const known = new Set(near.map(({ label }) => label));
  const worded = strongest(shared, (label) => !known.has(label) && (accept === undefined || accept(label)));
  const byWords = worded.map((label): Neighbour => ({ label, similarity: dot(vectors, label * query.length, query) }));
  return [...near, ...byWords]
    .map(({ label, similarity }): Candidate => {
      const bm25 = shared.get(label) ?? 0;
      const gain = (lexical.weight * bm25) / (bm25 + lexical.saturation);
      return { label, similarity, lexical: gain, relevance: similarity + gain };
    })
    .toSorted((a, b) => b.relevance - a.relevance || a.label - b.label)
    .slice(0, DEPTH);
}

function strongest(shared: ReadonlyMap<number, number>, accept: (label: number) => boolean): number[] {
  return [...shared]
    .filter(([label]) => accept(label))
    .toSorted(([labelA, a], [labelB, b]) => b - a || labelA - labelB)
    .slice(0, DEPTH)
    .map(([label]) => label);
}
