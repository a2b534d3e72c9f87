import { expect } from 'chai';
import { createLedgerClock } from '../../../server/ledger/ledger-clock.js';
import { MINUTE, HOUR, DAY } from '../../../platform/time/durations.js';

const YEAR = 365 * DAY;
const start = Date.UTC(2026, 10, 22);

describe('the ledger’s clock', () => {
  let wall: number;
  let passed: number;
  const clockFrom = (stored: number | null) =>
    createLedgerClock(
      () => wall,
      stored,
      () => passed,
    );
  type Clock = ReturnType<typeof clockFrom>;
  /** Lets time pass, with a reading every second as the ledger does; the machine's clock keeps pace. */
  const pass = (clock: Clock, milliseconds: number): void => {
    for (let left = milliseconds; left > 0; left -= 1000) {
      wall += 1000;
      passed += 1000;
      clock.mark();
    }
  };
  beforeEach(() => {
    wall = start;
    passed = 500;
  });

  it('shows the machine’s time in whole milliseconds while that moves forward', () => {
    const clock = clockFrom(null);
    for (const step of [0, 1, 999, HOUR, 40 * DAY]) {
      wall += step;
      passed += step + 0.25;
      expect(clock.now()).to.equal(wall);
    }
  });

  it('does not step back with the machine’s clock, but moves slowly until that has caught up', () => {
    const clock = clockFrom(null);
    pass(clock, HOUR);
    const before = clock.now();
    wall -= 10 * MINUTE;
    expect(clock.now()).to.equal(before);
    pass(clock, 10 * MINUTE);
    expect(clock.now()).to.equal(before + 5 * MINUTE);
    pass(clock, 10 * MINUTE);
    expect(clock.now())
      .to.equal(wall)
      .and.to.equal(before + 10 * MINUTE);
  });

  it('continues from the stored mark if a process starts under a clock that is years behind', () => {
    wall = Date.UTC(2020, 0, 1);
    const clock = clockFrom(start);
    expect(clock.now()).to.equal(start);
    pass(clock, HOUR);
    expect(clock.now()).to.equal(start + HOUR / 2);
  });

  it('moves by as long as the machine’s clock was a year ahead, not by a year', () => {
    const clock = clockFrom(null);
    pass(clock, HOUR);
    wall += YEAR;
    expect(clock.now()).to.equal(start + HOUR + YEAR);
    pass(clock, HOUR);
    expect(clock.mark()).to.equal(start + 3 * HOUR);
    wall -= YEAR;
    expect(clock.now()).to.equal(start + 3 * HOUR);
  });

  it('is ahead after a leap of the machine’s clock until that is set back or time has passed, but not after a downtime', () => {
    const clock = clockFrom(start - DAY);
    pass(clock, MINUTE);
    expect(clock.ahead()).to.equal(0);
    wall += YEAR;
    expect(clock.ahead()).to.equal(YEAR);
    wall -= YEAR;
    expect(clock.ahead()).to.equal(0);
    const other = clockFrom(null);
    wall += HOUR;
    expect(other.ahead()).to.equal(HOUR);
    pass(other, HOUR / 2);
    expect(other.ahead()).to.equal(HOUR / 2);
    pass(other, HOUR / 2);
    expect(other.ahead()).to.equal(0);
    wall -= HOUR;
    pass(other, 2 * HOUR);
    expect(other.ahead()).to.equal(0);
  });

  it('does not trust a single reading after a long time', () => {
    const clock = clockFrom(null);
    wall += YEAR;
    passed += YEAR;
    expect(clock.mark()).to.equal(start + 20_000);
  });

  it('does not mistake time without readings for a leap, such as while the machine slept', () => {
    const clock = clockFrom(null);
    wall += HOUR;
    passed += HOUR;
    expect(clock.ahead()).to.equal(0);
    expect(clock.mark()).to.equal(start + 20_000);
    // Setting it back during the pause, and then forward by the same amount, is not a leap either.
    wall += HOUR - 2 * MINUTE;
    passed += HOUR;
    pass(clock, HOUR);
    wall += 2 * MINUTE;
    expect(clock.ahead()).to.equal(0);
  });

  it('trusts after three days a clock that was not set', () => {
    const clock = clockFrom(start - YEAR);
    pass(clock, 3 * DAY - MINUTE);
    expect(clock.mark()).to.be.below(start - YEAR + 7 * DAY);
    pass(clock, MINUTE);
    expect(clock.mark()).to.equal(wall);
    wall += YEAR;
    pass(clock, HOUR);
    expect(clock.mark()).to.be.below(wall - YEAR + 2 * HOUR);
  });
});
