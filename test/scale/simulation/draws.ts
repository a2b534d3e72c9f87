import { randomNumbers } from '../../support/plausible-month.js';

/** Repeatable draws. */
export interface Draws {
  /** 0 up to 1. */
  uniform(): number;
  exponential(mean: number): number;
  /** How many events of that mean happen. */
  poisson(mean: number): number;
}

export function createDraws(seed: number): Draws {
  const uniform = randomNumbers(seed);
  const exponential = (mean: number): number => -mean * Math.log(1 - uniform());
  return {
    uniform,
    exponential,
    poisson(mean) {
      // Where there are many, a normal distribution does not differ.
      if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(uniform)));
      let count = -1;
      for (let sum = 0; sum <= mean; count++) sum += exponential(1);
      return count;
    },
  };
}

/** Box and Muller's. */
function normal(uniform: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/**
 * A draw from a distribution of which the 5th, 15th … 95th percentile are known, straight between them and flat beyond, at
 * the mean that it should have.
 */
export function fromQuantiles(quantiles: readonly number[], mean: number): (uniform: number) => number {
  const scale = mean / (quantiles.reduce((sum, value) => sum + value, 0) / quantiles.length);
  const last = quantiles.length - 1;
  return (uniform) => {
    const place = Math.min(last, Math.max(0, uniform * quantiles.length - 0.5));
    const low = Math.min(last - 1, Math.floor(place));
    if (last === 0) return quantiles[0]! * scale;
    return scale * (quantiles[low]! + (place - low) * (quantiles[low + 1]! - quantiles[low]!));
  };
}
