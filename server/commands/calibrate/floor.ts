import type { ScoredAnswer } from './refit.js';

/** What a floor lets through: share of the answers, and of right ones among them. */
export interface FloorFigures {
  readonly floor: number;
  readonly fill: number;
  /** null: nothing is shown. */
  readonly precision: number | null;
  /** Share of the contexts without a right ad that are shown one; null: there are none. */
  readonly noAdShown: number | null;
}

export function figuresAt(answers: readonly ScoredAnswer[], floor: number): FloorFigures {
  const shown = answers.filter(({ score }) => score >= floor);
  const weight = total(shown);
  const noAd = answers.filter((answer) => answer.noAd);
  return {
    floor,
    fill: weight / total(answers),
    precision: shown.length === 0 ? null : total(shown.filter(({ right }) => right)) / weight,
    noAdShown: noAd.length === 0 ? null : total(shown.filter((answer) => answer.noAd)) / total(noAd),
  };
}

/** Fewer shown answers than this say nothing about their precision. */
const MIN_SHOWN = 20;
const STEP = 0.005;

// An ad more likely wrong than right is not shown, however often the others are right.
const MIN_FLOOR = 0.5;

/** A floor, and how often its shown ads are right in the set where they are so least often. */
export interface FloorChoice {
  readonly floor: number;
  readonly precision: number;
}

/**
 * The lowest floor at which the shown ads are right as often as wanted, in every set by itself: the easy one must not
 * pay for the hard one.
 *
 * @param sets answers with scores of mappings that were not fitted to them
 * @returns the floor with the best precision when none reaches the wanted one
 */
export function floorFor(sets: readonly (readonly ScoredAnswer[])[], wanted: number): FloorChoice {
  let best: FloorChoice = { floor: MIN_FLOOR, precision: 0 };
  for (let floor = MIN_FLOOR; floor < 1; floor = Math.round((floor + STEP) * 1000) / 1000) {
    if (sets.some((answers) => answers.filter(({ score }) => score >= floor).length < MIN_SHOWN)) break;
    const precision = Math.min(...sets.map((answers) => figuresAt(answers, floor).precision ?? 0));
    if (precision > best.precision) best = { floor, precision };
    if (precision >= wanted) break;
  }
  return best;
}

const total = (answers: readonly ScoredAnswer[]): number => answers.reduce((sum, { weight }) => sum + weight, 0);
