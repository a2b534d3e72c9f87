/** A time that goes on with a clock and does not step back with it, in milliseconds since it began. */
export interface OwnTime {
  /** @param now epoch milliseconds; somewhat earlier than the last is the last: decisions overlap */
  at(now: number): number;
}

/** Further back is no decision that took long, but a clock that was put back. */
const OVERLAP_MS = 30_000;

export function createOwnTime(): OwnTime {
  let [passed, last] = [0, NaN];
  return {
    at(now) {
      if (now > last) passed += now - last;
      if (!(now <= last && last - now < OVERLAP_MS)) last = now;
      return passed;
    },
  };
}
