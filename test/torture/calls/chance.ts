import { randomNumbers } from '../../support/plausible-month.js';

/** Repeatable chance: equal seeds make equal choices, as far as their order is equal. */
export interface Chance {
  /** Whether something of this probability happens. */
  happens(probability: number): boolean;
  /** From `least` up to `most`, not whole. */
  between(least: number, most: number): number;
  whole(least: number, most: number): number;
  oneOf<T>(choices: readonly T[]): T;
}

export function createChance(seed: number): Chance {
  const next = randomNumbers(seed);
  // The first numbers of neighbouring seeds are alike.
  for (let skipped = 0; skipped < 10; skipped++) next();
  const between = (least: number, most: number): number => least + next() * (most - least);
  const whole = (least: number, most: number): number => Math.floor(between(least, most + 1));
  return {
    happens: (probability) => next() < probability,
    between,
    whole,
    oneOf: (choices) => choices[whole(0, choices.length - 1)]!,
  };
}
