import type { Calibration } from '../../../models/scoring/decision-model.js';
import { sigmoid } from '../../../models/scoring/sigmoid.js';
import { fitLogistic, type Sample } from './logistic.js';
import type { LabelledAnswer, LabelledSet } from './samples.js';

/** An answer with its score and weight. */
export interface ScoredAnswer extends Pick<LabelledAnswer, 'right' | 'noAd'> {
  readonly score: number;
  readonly weight: number;
}

/** A mapping fitted to some sets, and its scores of contexts that it was not fitted to. */
export interface Refit {
  readonly score: Calibration;
  /** For each set, in order: each answer's score by a mapping fitted to the other folds. */
  readonly heldOut: readonly (readonly ScoredAnswer[])[];
}

const FOLDS = 5;
// Neighbours in a file are often turns of one dialogue, so they stay in one fold.
const BLOCK = 10;
// Expected distance of weights and bias from the model that the fit starts from, as standard deviations: the values
// that made the score fitted to 20 to 100 contexts most useful for the rest of a set (models/EXPERIMENTS.md).
const PRIOR_STD_DEV = 1;
const PRIOR_STD_DEV_OF_BIAS = 0.5;

/**
 * Fits the mapping from features to probability. Every set has equal weight, whatever its size. Right and wrong answers
 * are not balanced, since a probability must reflect how often answers are right. With few contexts the result stays
 * near `from`.
 */
export function refit(sets: readonly LabelledSet[], from: Calibration): Refit {
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    fit(
      sets.map((set) => part(set, (at) => at !== fold)),
      from,
    ),
  );
  return {
    score: fit(sets, from),
    heldOut: sets.map(({ answers }) =>
      answers.map((answer, at) => scored(answer, folds[foldOf(at)]!, 1 / answers.length)),
    ),
  };
}

/** Scores a set's answers with a mapping. */
export function scoredBy(score: Calibration, { answers }: LabelledSet): ScoredAnswer[] {
  return answers.map((answer) => scored(answer, score, 1 / answers.length));
}

function fit(sets: readonly LabelledSet[], from: Calibration): Calibration {
  const samples = sets.flatMap(({ answers }) =>
    answers.map(({ features, right }): Sample => ({ features, right, weight: 1 / answers.length })),
  );
  // The effective sample size: the number of equally weighted contexts with about as much information.
  const effective = sets.length ** 2 / samples.reduce((sum, { weight }) => sum + weight ** 2, 0);
  const strength = {
    weights: 1 / (PRIOR_STD_DEV ** 2 * effective),
    bias: 1 / (PRIOR_STD_DEV_OF_BIAS ** 2 * effective),
  };
  const { weights, bias } = fitLogistic(samples, from, strength);
  return { weights: weights.map(rounded), bias: rounded(bias) };
}

function part({ name, answers }: LabelledSet, take: (fold: number) => boolean): LabelledSet {
  return { name, answers: answers.filter((_, at) => take(foldOf(at))) };
}

const foldOf = (at: number): number => Math.floor(at / BLOCK) % FOLDS;

function scored(
  { features, right, noAd }: LabelledAnswer,
  { weights, bias }: Calibration,
  weight: number,
): ScoredAnswer {
  const odds = weights.reduce((sum, value, at) => sum + value * features[at]!, bias);
  return { score: sigmoid(odds), right, noAd, weight };
}

const rounded = (value: number): number => Math.round(value * 1e5) / 1e5;
