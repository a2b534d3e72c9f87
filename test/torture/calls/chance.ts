import { randomNumbers } from '../../support/plausible-month.js';

/** Reproducible random choices: equal seeds give equal choices if they are made in the same order. */
export interface Chance {
  /** Returns true with this probability. */
  happens(probability: number): boolean;
  /** Returns a real number from `least` to `most`. */
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
