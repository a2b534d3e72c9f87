import { DAY } from '../../platform/time/durations.js';
/** The clock that dates ads and events. Moments are whole epoch milliseconds. */
export interface LedgerClock {
  /**
   * Returns the machine's time, or the mark if that is later. Follows a forward jump of the machine's clock at once.
   */
  now(): number;
  /**
   * Returns the moment that time has certainly reached; it never moves back. The ledger stores it for the next start.
   */
  mark(): number;
  /**
   * Returns how far (milliseconds) the machine's clock is ahead of the mark because it was set forward while this
   * process ran: 0 once it is set back, or the mark has caught up. Time that passed before the process began is not a
   * jump.
   */
  ahead(): number;
}

/** The longest time that one reading of the clocks can prove, since a machine may have been suspended or be faulty. */
const MAX_INTERVAL_MS = 10_000;
/** Faster than real time, so that the mark catches up on the time when the server was down. */
const MAX_RATE = 2;
/** While the machine's clock is behind, the mark moves slower than real time, so that the clock catches up with it. */
const SLOW_RATE = 0.5;
/** A machine's clock that was not set for so long is trusted. */
const STEADY_MS = 3 * DAY;
/**
 * If the two clocks' steps differ by more, the machine's clock was set; smaller differences are corrections of its
 * pace.
 */
const SET_MS = 60_000;

/**
 * Creates a clock that never steps back below its mark. The mark follows the machine's clock, but until that clock was
 * steady for three days, at no more than twice the pace of the time measured. So an hour under a clock that is a year
 * ahead moves the mark by two hours, not by a year.
 *
 * @param machine returns epoch milliseconds; may step in both directions
 * @param stored the mark that an earlier process stored; null: the machine's clock is trusted
 * @param elapsed returns milliseconds since any moment, by a clock that changes of the machine's clock do not affect
 */
export function createLedgerClock(
  machine: () => number,
  stored: number | null,
  elapsed: () => number = () => performance.now(),
): LedgerClock {
  let lastReading = { wall: machine(), at: elapsed() };
  let mark = stored ?? lastReading.wall;
  let steady = 0;
  let jumpedMs = 0;

  const readClocks = (): number => {
    const [wall, at] = [machine(), elapsed()];
    const passed = Math.min(Math.max(at - lastReading.at, 0), MAX_INTERVAL_MS);
    const jump = wall - lastReading.wall - (at - lastReading.at);
    const isSet = Math.abs(jump) > SET_MS;
    steady = isSet ? 0 : steady + passed;
    if (isSet) jumpedMs += jump;
    lastReading = { wall, at };
    if (wall < mark) mark += SLOW_RATE * passed;
    else mark = steady >= STEADY_MS ? wall : Math.min(wall, mark + MAX_RATE * passed);
    return wall;
  };
  return {
    now: () => Math.max(readClocks(), Math.floor(mark)),
    mark() {
      readClocks();
      return Math.floor(mark);
    },
    ahead() {
      const wall = readClocks();
      return Math.max(0, Math.floor(Math.min(wall - mark, jumpedMs)));
    },
  };
}
