/** Further back is no moment that was taken a little earlier than the last, but a clock that was put back. */
const OVERLAP_MS = 30_000;

/**
 * Moments of a clock that may be put back, as those of one that goes on from where it was: what is remembered for some
 * seconds is not remembered for as long as the clock was put back.
 *
 * @returns for a moment of the clock (epoch milliseconds) one that is never before an earlier one; somewhat earlier than the
 * last is the last, since requests overlap
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
