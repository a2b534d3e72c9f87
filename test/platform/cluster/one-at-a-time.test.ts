import { expect } from 'chai';
import { oneAtATime } from '../../../platform/cluster/one-at-a-time.js';

describe('a task that runs one at a time', () => {
  for (const [ends, end] of [
    ['ended', () => Promise.resolve()],
    ['failed', () => Promise.reject(new Error('failed'))],
  ] as const) {
    it(`does not overlap its next run when called as soon as the first has ${ends}`, async () => {
      let runs = 0;
      let most = 0;
      let all = 0;
      const ask = oneAtATime(async () => {
        all++;
        most = Math.max(most, ++runs);
        await new Promise((resolve) => setTimeout(resolve, 5));
        runs--;
        await end();
      });
      const first = ask();
      const asked = first.then(ask, ask);
      const next = ask();
      await Promise.allSettled([first, asked, next]);
      expect({ most, all }).to.deep.equal({ most: 1, all: 2 });
    });
  }

  it('runs once more for all calls made during a run', async () => {
    let runs = 0;
    const ask = oneAtATime(async () => void runs++);
    await Promise.all([ask(), ask(), ask()]);
    expect(runs).to.equal(2);
    await ask();
    expect(runs).to.equal(3);
  });

  it('runs again after it has failed', async () => {
    const outcomes = [() => Promise.reject(new Error('failed')), () => Promise.resolve()];
    const ask = oneAtATime(() => outcomes.shift()!());
    expect(await ask().catch(String)).to.equal('Error: failed');
    await ask();
  });
});
