import { calibrationError } from '../../../models/scoring/calibration-error.js';
import type { Calibration, DecisionModel } from '../../../models/scoring/decision-model.js';
import { floorFor, figuresAt, type FloorChoice, type FloorFigures } from './floor.js';
import { refit, scoredBy, type ScoredAnswer } from './refit.js';
import type { LabelledSet } from './samples.js';

/** A model whose mapping and floor were fitted to some sets, with figures to judge it by. */
export interface Calibrated {
  readonly model: DecisionModel;
  readonly before: Mapping;
  readonly after: Mapping;
  readonly sets: readonly SetFigures[];
  /** Figures of the new mapping over all sets, where each context is scored by a mapping that was not fitted to it. */
  readonly floors: readonly FloorFigures[];
}

export interface Mapping {
  readonly score: Calibration;
  readonly floor: number;
}

export interface SetFigures {
  readonly name: string;
  readonly contexts: number;
  /** Share of contexts whose best ad is right. */
  readonly right: number;
  /** Figures of the previous mapping, and of the new one on contexts that it was not fitted to. */
  readonly before: MappingFigures;
  readonly after: MappingFigures;
}

export interface MappingFigures {
  /** Expected calibration error, 15 bins of equal size. */
  readonly ece: number;
  /** Mean surprise in nats. Lower is better; it rewards sharp scores as well as calibrated ones. */
  readonly logLoss: number;
  readonly atFloor: FloorFigures;
}

export interface CalibrationTarget {
  readonly precision: number;
  /** A floor to use instead of the one derived from the precision. */
  readonly floor?: number | undefined;
}

/** With fewer contexts, or fewer of either answer, a fit would be a guess. */
const MIN_CONTEXTS = 20;
const MIN_OF_EACH = 3;
/** With fewer contexts, the precision is too uncertain to choose a floor by. */
const MIN_FOR_FLOOR = 60;
const FLOORS = [0.5, 0.6, 0.7, 0.8, 0.9];

/**
 * Fits score and floor to sets of contexts with known answers.
 *
 * @throws Error when there are too few contexts, or no floor reaches the wanted precision
 */
export function calibrate(sets: readonly LabelledSet[], from: DecisionModel, wish: CalibrationTarget): Calibrated {
  for (const set of sets) requireEnough(set);
  const { score, heldOut: held } = refit(sets, from.score);
  const enough = sets.every(({ answers }) => answers.length >= MIN_FOR_FLOOR);
  const fitting = enough ? () => requirePrecision(floorFor(held, wish.precision), wish.precision) : () => from.floor;
  const floor = wish.floor ?? fitting();
  const before = { score: from.score, floor: from.floor };
  const after = { score, floor };
  return {
    model: { ...from, score, floor },
    before,
    after,
    sets: sets.map((set, at) => ({
      name: set.name,
      contexts: set.answers.length,
      right: set.answers.filter(({ right }) => right).length / set.answers.length,
      before: figures(scoredBy(before.score, set), before.floor),
      after: figures(held[at]!, after.floor),
    })),
    floors: [...new Set([...FLOORS, floor])]
      .toSorted((a, b) => a - b)
      .map((candidate) => figuresAt(held.flat(), candidate)),
  };
}

function requirePrecision({ floor, precision }: FloorChoice, wanted: number): number {
  if (precision >= wanted) return floor;
  throw new Error(
    `no floor makes ${percent(wanted)} of the shown ads right in every set; the best is ${percent(precision)}, at ${floor}. ` +
      `Ask for a lower --precision, or set a --floor`,
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function requireEnough({ name, answers }: LabelledSet): void {
  const right = answers.filter((answer) => answer.right).length;
  if (answers.length >= MIN_CONTEXTS && Math.min(right, answers.length - right) >= MIN_OF_EACH) return;
  throw new Error(
    `${name}: calibration needs ${MIN_CONTEXTS} contexts at least, ${MIN_OF_EACH} of them with a right best ad and ` +
      `${MIN_OF_EACH} with a wrong one; there are ${answers.length}, ${right} right`,
  );
}

function figures(answers: readonly ScoredAnswer[], floor: number): MappingFigures {
  const losses = answers.map(({ score, right }) => -Math.log(Math.max(1e-9, right ? score : 1 - score)));
  return {
    ece: calibrationError(answers),
    logLoss: losses.reduce((sum, loss) => sum + loss, 0) / losses.length,
    atFloor: figuresAt(answers, floor),
  };
}
