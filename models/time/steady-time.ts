/**
 * Moments of a clock that may be put back, as those of one that goes on from where it was: what is remembered for some
 * seconds is not remembered for as long as the clock was put back.
 *
 * @returns for a moment of the clock (epoch milliseconds) one that is never before an earlier one
 */
export function createSteadyTime(): (now: number) => number {
  let latest = -Infinity;
  let behind = 0;
  return (now) => {
    if (now + behind < latest) behind = latest - now;
    return (latest = now + behind);
  };
}
