import { expect } from 'chai';
import { createSteadyTime } from '../../../models/time/steady-time.js';

describe('steady time', () => {
  it('is the clock’s until that is put back, and goes on from there', () => {
    const steadyTime = createSteadyTime();
    expect([1000, 1000, 1500].map(steadyTime)).to.deep.equal([1000, 1000, 1500]);
    expect([200, 300, 5000, 4000].map(steadyTime)).to.deep.equal([1500, 1600, 6300, 6300]);
  });
});
