import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { coalesceWithDeadline } from '../../../platform/cluster/coalesce-with-deadline.js';

describe('coalesced refreshes with a deadline', () => {
  it('share one run, begun after the calls, among all waiting calls', async () => {
    const ends: (() => void)[] = [];
    const look = coalesceWithDeadline(() => new Promise<void>((resolve) => void ends.push(resolve)), { everyMs: 0 });
    const first = look();
    await pause(5);
    const later = [look(), look(), look()];
    await pause(5);
    expect(ends).to.have.length(1);
    ends[0]!();
    expect(await first).to.equal(true);
    await pause(5);
    expect(ends).to.have.length(2);
    ends[1]!();
    expect(await Promise.all(later)).to.deep.equal([true, true, true]);
  });

  it('keep their minimum interval regardless of the number of calls', async () => {
    let looks = 0;
    const look = coalesceWithDeadline(async () => void looks++, { everyMs: 50 });
    const began = performance.now();
    while (performance.now() - began < 300) await Promise.all(Array.from({ length: 100 }, look));
    expect(looks).to.be.within(2, Math.ceil((performance.now() - began) / 50) + 1);
  });

  it('resolve to false when they fail or take too long, and to true once they succeed again', async () => {
    const outcomes = [() => Promise.reject(new Error('away')), () => pause(200), () => Promise.resolve()];
    const look = coalesceWithDeadline(() => outcomes.shift()!(), { waitMs: 60, everyMs: 0 });
    expect(await look()).to.equal(false);
    const began = performance.now();
    expect(await look()).to.equal(false);
    expect(performance.now() - began).to.be.within(50, 180);
    await pause(200);
    expect(await look()).to.equal(true);
  });
});
