import { HOUR } from '../../platform/time/durations.js';
const SLOT = HOUR / 4;

/** Traffic by hour of the day, from midnight: most in the evening, least before dawn. Made up. */
const HOURS = [3, 2, 1, 1, 1, 1, 2, 4, 6, 7, 8, 8, 9, 8, 8, 8, 8, 9, 10, 11, 12, 11, 9, 6];
/** Traffic by day of the week, from Sunday. Made up. */
const WEEKDAYS = [0.8, 1.05, 1.1, 1.1, 1.05, 1, 0.75];

/**
 * Spreads traffic over a period like real days and weeks, in UTC.
 *
 * @param from epoch milliseconds; likewise `to`, which is exclusive
 * @returns a function from a share (0 to 1) of the period's traffic to the moment by which that share has occurred
 */
export function momentsBetween(from: number, to: number): (share: number) => number {
  const ends: number[] = [];
  let sum = 0;
  for (let start = from; start < to; start += SLOT) {
    const date = new Date(start);
    const length = Math.min(SLOT, to - start) / SLOT;
    sum += length * HOURS[date.getUTCHours()]! * WEEKDAYS[date.getUTCDay()]!;
    ends.push(sum);
  }
  return (share) => {
    const wanted = share * sum;
    const slot = firstPast(ends, wanted);
    const before = ends[slot - 1] ?? 0;
    const start = from + slot * SLOT;
    const within = (wanted - before) / (ends[slot]! - before);
    return Math.min(to - 1, Math.floor(start + within * Math.min(SLOT, to - start)));
  };
}

/**
 * Returns reproducible random numbers from 0 to 1 (a linear congruential generator with the constants of Numerical
 * Recipes).
 */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Returns the position of the first value above the wanted one, by binary search; the last position if there is none.
 */
function firstPast(rising: readonly number[], wanted: number): number {
  let [low, high] = [0, rising.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle]! > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
