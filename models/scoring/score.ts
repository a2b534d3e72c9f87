import { dot } from '../index/vector-index.js';
import type { Calibration } from './decision-model.js';
import { DEPTH, type Ranking } from './rank.js';
import { sigmoid } from './sigmoid.js';

/** Features that the probability is computed from. */
export interface Features {
  /** The candidate's relevance; with a second encoder, the first encoder's cosine. */
  readonly relevance: number;
  /** Log odds that something could be advertised here. */
  readonly advertisable: number;
  /** Share of the ranking's weight, in [0, 1], on ads similar to the candidate: 1 if no other ad is close. */
  readonly mass: number;
  /** The candidate's overlap: how much of the text's rare words it shares. */
  readonly overlap: number;
}

// A relevance difference of this size is one unit in the softmax.
const TEMPERATURE = 0.08;
// In a large catalogue, ads ranked below a right one usually have this relevance, by rank (dev splits of everyday, star
// and clinc).
const usualRelevance = (rank: number): number => 0.45 - 0.085 * Math.log(rank);
// Ads at least this similar count as the same: a near copy in second place casts no doubt on the first.
const ALIKE = 0.5;

/** What `featuresOf` needs besides the ranking. */
export interface FeatureInputs {
  /** Log odds that something could be advertised in the context. */
  readonly advertisable: number;
  /** Weight of each rank that a small catalogue lacks (`DecisionModel.missingRanks`). Default: 1. */
  readonly missingRanks?: number | undefined;
}

/**
 * Computes the features of candidate `at` within its ranking. If fewer than fifty creatives are eligible, the missing
 * ranks are assumed to have their usual relevance and are weighted by `missingRanks`. Without them, where similarity
 * alone says too little, the nearest of eight creatives would have nearly all the mass, however far it is from the
 * context.
 *
 * @param ranking the candidates in order, with the rows of all of them
 */
export function featuresOf(
  { candidates, rows: { vectors, dims, from } }: Ranking,
  at: number,
  { advertisable, missingRanks = 1 }: FeatureInputs,
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
    all += missingRanks * Math.exp((usualRelevance(rank) - best) / TEMPERATURE);
  }
  const { relevance, overlap } = candidates[at]!;
  return { relevance, advertisable, mass: alike / all, overlap };
}

// Keeps the log odds of the mass finite, and every feature near unit scale.
const EPSILON = 0.003;

/** Scales the features as they were when the calibration's weights were fitted. */
export function scaled({ relevance, advertisable, mass, overlap }: Features): number[] {
  return [
    Math.min(1.5, Math.max(-1, relevance)),
    Math.min(4, Math.max(-4, advertisable)) / 10,
    Math.log((mass + EPSILON) / (1 + EPSILON - mass)) / 5,
    5 * Math.min(1, overlap),
  ];
}

/** Computes the calibrated probability that the ad is relevant. */
export function scoreOf(features: Features, { weights, bias }: Calibration): number {
  return sigmoid(scaled(features).reduce((sum, value, at) => sum + (weights[at] ?? 0) * value, bias));
}
