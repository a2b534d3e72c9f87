import { dot, type Neighbour, type VectorIndex } from '../index/vector-index.js';
import type { Calibration, DecisionModel } from './decision-model.js';
import { sigmoid } from './query-vector.js';
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
const DEPTH = 50;

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

/** What the probability is computed from. */
export interface Features {
  readonly relevance: number;
  /** Log odds that something could be advertised here. */
  readonly advertisable: number;
  /** How much of the ranking's weight lies on ads like the first, in [0, 1]: 1 when nothing else comes near. */
  readonly mass: number;
}

// Relevance differences of this size count as one step of the softmax.
const TEMPERATURE = 0.08;
// In a large catalogue, the ads behind a right one lie about this far away, by rank (dev of everyday, star and clinc).
const usualRelevance = (rank: number): number => 0.45 - 0.085 * Math.log(rank);
// Ads at least this similar say the same thing: a near copy at second place is no doubt about the first.
const ALIKE = 0.5;

/**
 * The features of candidate `at` within its ranking; `advertisable` belongs to the context. Where few creatives can be
 * answered, the rest of fifty are taken to lie as far away as they usually do: else the nearest of eight would have next
 * to all the mass, however far from the context it is.
 */
export function featuresOf(
  candidates: readonly Candidate[],
  at: number,
  advertisable: number,
  vectors: Float32Array,
  dims: number,
): Features {
  const own = vectors.subarray(candidates[at]!.label * dims, (candidates[at]!.label + 1) * dims);
  const best = candidates[0]!.relevance;
  let all = 0;
  let alike = 0;
  for (const { label, relevance } of candidates) {
    const weight = Math.exp((relevance - best) / TEMPERATURE);
    all += weight;
    if (dot(vectors, label * dims, own) >= ALIKE) alike += weight;
  }
  for (let rank = candidates.length + 1; rank <= DEPTH; rank++) {
    all += Math.exp((usualRelevance(rank) - best) / TEMPERATURE);
  }
  return { relevance: candidates[at]!.relevance, advertisable, mass: alike / all };
}

// Keeps the log odds of the mass finite, and every feature at about unit size.
const EPSILON = 0.003;

/** The features on the scale that the calibration's weights were fitted on. */
export function scaled({ relevance, advertisable, mass }: Features): [number, number, number] {
  return [
    Math.min(1.5, Math.max(-1, relevance)),
    Math.min(4, Math.max(-4, advertisable)) / 10,
    Math.log((mass + EPSILON) / (1 + EPSILON - mass)) / 5,
  ];
}

/** Calibrated probability that the ad is relevant. */
export function scoreOf(features: Features, { weights, bias }: Calibration): number {
  const [relevance, advertisable, mass] = scaled(features);
  return sigmoid(weights[0] * relevance + weights[1] * advertisable + weights[2] * mass + bias);
}
