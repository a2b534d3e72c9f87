import type { ScoredAnswer } from './refit.js';

/** Figures at a floor: the share of answers that are shown, and the share of right ones among them. */
export interface FloorFigures {
  readonly floor: number;
  readonly fill: number;
  /** Null: nothing is shown. */
  readonly precision: number | null;
  /** Share of the contexts without a right ad that are shown one; null: there are no such contexts. */
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

/** With fewer shown answers, their precision is too uncertain. */
const MIN_SHOWN = 20;
const STEP = 0.005;

// An ad that is more likely wrong than right is not shown, however often the others are right.
const MIN_FLOOR = 0.5;

/** A floor, and the precision of its shown ads in the set where that is lowest. */
export interface FloorChoice {
  readonly floor: number;
  readonly precision: number;
}

/**
 * Finds the lowest floor at which the shown ads are right as often as wanted in every single set, so that an easy set
 * does not compensate for a hard one.
 *
 * @param sets answers scored by mappings that were not fitted to them
 * @returns the floor with the best precision if none reaches the wanted one
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
