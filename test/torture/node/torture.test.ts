import { expect } from 'chai';
import { FAULT_NAMES } from './fault-names.js';
import { torture } from './torture.js';

describe('a tortured installation', function () {
  // Takes up to ten minutes at low priority on a busy machine.
  this.timeout(1_800_000);

  it('agrees with the replies that callers got after each of 30 kills with faults in between', async () => {
    const wanted = { kills: 30, minutes: 0, seed: 1, faults: FAULT_NAMES, workDir: undefined };
    const tortured = await torture(wanted, () => undefined);
    expect(tortured.differences, `the data are kept in ${tortured.kept}`).to.deep.equal([]);
    expect(tortured.kills).to.equal(30);
    expect(tortured.stored).to.be.greaterThan(100);
    expect(tortured.micros).to.be.greaterThan(0);
  });
});
