import { dot } from '../index/vector-index.js';
import type { VectorRows } from '../index/catalogue-search.js';
import type { Calibration } from './decision-model.js';
import { sigmoid } from './query-vector.js';
import { type Candidate, DEPTH } from './rank.js';

/** What the probability is computed from. */
export interface Features {
  /** The candidate's; with a second reader, the first one's cosine. */
  readonly relevance: number;
  /** Log odds that something could be advertised here. */
  readonly advertisable: number;
  /** How much of the ranking's weight lies on ads like the first, in [0, 1]: 1 when nothing else comes near. */
  readonly mass: number;
  /** Log odds that the ad is right, by an encoder that read it beside the conversation; null: none did. */
  readonly judged: number | null;
}

// Relevance differences of this size count as one step of the softmax.
const TEMPERATURE = 0.08;
// In a large catalogue, the ads behind a right one lie about this far away, by rank (dev of everyday, star and clinc).
const usualRelevance = (rank: number): number => 0.45 - 0.085 * Math.log(rank);
// Ads at least this similar say the same thing: a near copy at second place is no doubt about the first.
const ALIKE = 0.5;

/**
 * The features of candidate `at` within its ranking; `advertisable` belongs to the context. Where few creatives can be
 * answered, the rest of fifty are taken to lie as far away as they usually do, and count `missing` times: where similarity
 * says too little by itself, the nearest of eight would have next to all the mass, however far from the context it is.
 *
 * @param rows those of all candidates
 */
export function featuresOf(
  candidates: readonly Candidate[],
  at: number,
  advertisable: number,
  { vectors, dims, from }: VectorRows,
  judged: number | null = null,
  missing = 1,
): Features {
  const begin = from(candidates[at]!.label);
  const own = vectors.subarray(begin, begin + dims);
  const best = candidates[0]!.relevance;
  let all = 0;
  let alike = 0;
  for (const { label, relevance } of candidates) {
    const weight = Math.exp((relevance - best) / TEMPERATURE);
    all += weight;
    if (dot(vectors, from(label), own) >= ALIKE) alike += weight;
  }
  for (let rank = candidates.length + 1; rank <= DEPTH; rank++) {
    all += missing * Math.exp((usualRelevance(rank) - best) / TEMPERATURE);
  }
  return { relevance: candidates[at]!.relevance, advertisable, mass: alike / all, judged };
}

// Keeps the log odds of the mass finite, and every feature at about unit size.
const EPSILON = 0.003;

/** The features on the scale that the calibration's weights were fitted on. */
export function scaled({ relevance, advertisable, mass, judged }: Features): number[] {
  return [
    Math.min(1.5, Math.max(-1, relevance)),
    Math.min(4, Math.max(-4, advertisable)) / 10,
    Math.log((mass + EPSILON) / (1 + EPSILON - mass)) / 5,
    ...(judged === null ? [] : [Math.min(8, Math.max(-8, judged)) / 4]),
  ];
}

/** Calibrated probability that the ad is relevant. */
export function scoreOf(features: Features, { weights, bias }: Calibration): number {
  return sigmoid(scaled(features).reduce((sum, value, at) => sum + (weights[at] ?? 0) * value, bias));
}
