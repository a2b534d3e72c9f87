import { randomNumbers } from '../../support/plausible-month.js';

/** Reproducible random draws. */
export interface Draws {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  uniform(): number;
  exponential(mean: number): number;
  /** Returns a Poisson-distributed number with this mean. */
  poisson(mean: number): number;
}

export function createDraws(seed: number): Draws {
  const uniform = randomNumbers(seed);
  const exponential = (mean: number): number => -mean * Math.log(1 - uniform());
  return {
    uniform,
    exponential,
    poisson(mean) {
      // For large means, a normal distribution is close enough.
      if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(uniform)));
      let count = -1;
      for (let sum = 0; sum <= mean; count++) sum += exponential(1);
      return count;
    },
  };
}

/** Draws by the Box–Muller method. */
function normal(uniform: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/**
 * Returns a draw from a distribution given by its 5th, 15th … 95th percentile, interpolated linearly between them,
 * constant beyond, and scaled to the given mean.
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
