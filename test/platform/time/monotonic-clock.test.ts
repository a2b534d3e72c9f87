import { expect } from 'chai';
import { createMonotonicClock } from '../../../platform/time/monotonic-clock.js';

describe('the monotonic clock', () => {
  it('follows the underlying clock until that is set back, and continues from there', () => {
    const monotonicTime = createMonotonicClock();
    expect([1000, 1000, 1500].map(monotonicTime)).to.deep.equal([1000, 1000, 1500]);
    const back = 1500 - 3_600_000;
    expect([back, back + 100, back + 4800].map(monotonicTime)).to.deep.equal([1500, 1600, 6300]);
  });

  it('stays at the last moment for slightly earlier ones, and does not run ahead', () => {
    const monotonicTime = createMonotonicClock();
    const moments = Array.from({ length: 100 }, () => [60_000, 50_000]).flat();
    expect(new Set(moments.map(monotonicTime))).to.deep.equal(new Set([60_000]));
    expect([60_001, 30_002, 60_002].map(monotonicTime)).to.deep.equal([60_001, 60_001, 60_002]);
  });
});
