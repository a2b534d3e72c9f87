import { expect } from 'chai';
import { clockCheck, watchClock } from '../../../server/operation/clock-watch.js';
import { eventually } from '../../support/eventually.js';

describe('the clock watch', () => {
  it('warns once when the machine’s clock falls more than a minute behind the ledger’s, and logs when it has caught up', async () => {
    let [ledger, machine] = [100_000, 100_000];
    const logged: string[] = [];
    const note = (level: string) => (): void => void logged.push(level);
    const log = { warn: note('warn'), info: note('info') };
    let looks = 0;
    const clock = () => (looks++, machine);
    const watch = watchClock({ ledger: { now: () => ledger, ahead: () => 0 }, clock, log, everyMs: 1 });
    const looked = async (expected: readonly string[]): Promise<void> => {
      const before = looks;
      await eventually(() => expect(looks).to.be.above(before + 3));
      expect(logged).to.deep.equal(expected);
    };
    machine -= 60_000;
    await looked([]);
    machine -= 1;
    await looked(['warn']);
    ledger = machine;
    await looked(['warn', 'info']);
    await watch.close();
  });

  it('warns once, and is not ready, while the machine’s clock is more than ten minutes ahead', async () => {
    let [ahead, looks] = [600_000, 0];
    const logged: string[] = [];
    const note = (level: string) => (): void => void logged.push(level);
    const ledger = { now: () => 0, ahead: () => (looks++, ahead) };
    const ready = clockCheck(ledger);
    const watch = watchClock({ ledger, clock: () => 0, log: { warn: note('warn'), info: note('info') }, everyMs: 1 });
    const looked = async (expected: readonly string[]): Promise<void> => {
      const before = looks;
      await eventually(() => expect(looks).to.be.above(before + 3));
      expect(logged).to.deep.equal(expected);
    };
    await looked([]);
    expect(ready.fault()).to.equal(null);
    ahead = 3_600_001;
    await looked(['warn']);
    expect(ready.fault()).to.include('60 minutes');
    ahead = 0;
    await looked(['warn', 'info']);
    expect(ready.fault()).to.equal(null);
    await watch.close();
  });
});
