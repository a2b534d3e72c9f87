/** The time that ads and events are dated by. Moments are whole epoch milliseconds. */
export interface LedgerClock {
  /** The machine's time, or the mark where that is later: follows at once where the machine leaps ahead. */
  now(): number;
  /** Until when time has surely passed: never moves back. The ledger stores it, so that a restart knows it too. */
  mark(): number;
  /**
   * How far the machine's clock is ahead of the mark because it was set forward under this process, milliseconds: 0 once it
   * is set back, or the mark has caught up. Time that passed before the process began is no leap.
   */
  ahead(): number;
}

/** No look at the clock proves more time than this, whatever a suspended or faulty machine says. */
const LONGEST_LOOK_MS = 10_000;
/** Faster than time itself, so that the mark overtakes what it missed while the server was down. */
const PACE = 2;
/** While the machine's clock is behind, the mark goes on slower than time, so that the two meet again. */
const SLOW_PACE = 0.5;
/** A machine's clock that was not set for so long is right. */
const STEADY_MS = 3 * 24 * 3_600_000;
/** A larger difference between the two clocks' steps is no correction of the pace. */
const SET_MS = 60_000;

/**
 * A clock that never steps back below its mark. The mark follows the machine's clock, though no faster than twice the pace
 * at which time is seen to pass, until that clock was steady for three days: an hour under a clock that is a year ahead
 * moves it by two hours, not by a year.
 *
 * @param machine epoch milliseconds; may step in both directions
 * @param stored the mark that an earlier process left; null: the machine's clock is believed
 * @param elapsed milliseconds from any moment on, which no change of the machine's clock touches
 */
export function createLedgerClock(
  machine: () => number,
  stored: number | null,
  elapsed: () => number = () => performance.now(),
): LedgerClock {
  let looked = { wall: machine(), at: elapsed() };
  let mark = stored ?? looked.wall;
  let steady = 0;
  let leapt = 0;

  const look = (): number => {
    const [wall, at] = [machine(), elapsed()];
    const passed = Math.min(Math.max(at - looked.at, 0), LONGEST_LOOK_MS);
    const leap = wall - looked.wall - (at - looked.at);
    const isSet = Math.abs(leap) > SET_MS;
    steady = isSet ? 0 : steady + passed;
    if (isSet) leapt += leap;
    looked = { wall, at };
    if (wall < mark) mark += SLOW_PACE * passed;
    else mark = steady >= STEADY_MS ? wall : Math.min(wall, mark + PACE * passed);
    return wall;
  };
  return {
    now: () => Math.max(look(), Math.floor(mark)),
    mark() {
      look();
      return Math.floor(mark);
    },
    ahead() {
      const wall = look();
      return Math.max(0, Math.floor(Math.min(wall - mark, leapt)));
    },
  };
}
