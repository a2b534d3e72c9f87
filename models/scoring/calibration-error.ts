/** A served ad's score, and whether the ad was right. */
export interface ScoredAnswer {
  readonly score: number;
  readonly right: boolean;
}

/** Answers with similar scores: their mean score, and the share that was right. */
export interface Bin {
  readonly predicted: number;
  readonly observed: number;
  readonly count: number;
}

/** Divides answers into bins of equal count by score: the points of a reliability diagram. */
export function reliability(answers: readonly ScoredAnswer[], bins = 15): Bin[] {
  const sorted = answers.toSorted((a, b) => a.score - b.score);
  return Array.from({ length: bins }, (_, bin) => {
    const part = sorted.slice(Math.round((bin * sorted.length) / bins), Math.round(((bin + 1) * sorted.length) / bins));
    const mean = (value: (answer: ScoredAnswer) => number) =>
      part.reduce((sum, answer) => sum + value(answer), 0) / part.length;
    return { predicted: mean(({ score }) => score), observed: mean(({ right }) => Number(right)), count: part.length };
  }).filter(({ count }) => count > 0);
}

/**
 * Computes the expected calibration error with equal-mass bins: the mean distance between predicted and observed
 * (Naeini et al., 2015). A perfect score on 150 answers has about 0.05 by chance alone.
 */
export function calibrationError(answers: readonly ScoredAnswer[]): number {
  const distance = reliability(answers).reduce(
    (sum, { predicted, observed, count }) => sum + Math.abs(predicted - observed) * count,
    0,
  );
  return Math.round((distance / answers.length) * 1e4) / 1e4;
}
