/**
 * A moment earlier than the last by less than this belongs to an overlapping request. By this much or more, the clock
 * was set back.
 */
const OVERLAP_MS = 30_000;

/**
 * Creates a clock that continues from where it was when the underlying clock is set back. Data that is kept for some
 * seconds is then not kept for as long as the clock was set back.
 *
 * @returns a function that maps a moment of the clock (epoch milliseconds) to one that is never before an earlier
 *   result; a moment slightly before the last maps to the last, because requests overlap
 */
export function createMonotonicClock(): (now: number) => number {
  let [latest, last] = [-Infinity, -Infinity];
  return (now) => {
    if (latest === -Infinity) latest = now;
    else if (now > last) latest += now - last;
    if (now > last || last - now >= OVERLAP_MS) last = now;
    return latest;
  };
}
