import { expect } from 'chai';
import { type Count, createPendingCounts } from '../../../server/ledger/tables/batch.js';

const dimensionSet = { publisher: 'p', advertiser: null, campaign: null, creative: null, test: false };
const count = (minute: number, creative: string): Count => ({
  minute,
  dimensionSet: { ...dimensionSet, creative },
  counted: 'decision',
  reason: '',
  times: 1,
});
const timesOf = (counts: readonly Count[]): number => counts.reduce((sum, { times }) => sum + times, 0);

describe('counts that wait to be written', () => {
  it('are added up where they are equal', () => {
    const pending = createPendingCounts();
    for (const creative of ['a', 'b', 'a']) pending.add(count(7, creative));
    expect(pending.size).to.equal(2);
    expect(pending.take(10).map(({ times }) => times)).to.deep.equal([2, 1]);
    expect(pending.size).to.equal(0);
  });

  it('are handed over in parts, and added again where a part could not be written', () => {
    const pending = createPendingCounts();
    for (let number = 0; number < 25; number++) pending.add(count(7, `c${number}`));
    const part = pending.take(10);
    expect([part.length, pending.size]).to.deep.equal([10, 15]);
    for (const each of part) pending.add(each);
    expect(timesOf([...pending.take(20), ...pending.take(20)])).to.equal(25);
  });

  it('of one quarter of an hour are one once very many wait, and none is lost', () => {
    const pending = createPendingCounts(1000);
    let most = 0;
    // A day in which nothing can be written: each minute some decisions about each of 40 creatives.
    for (let minute = 0; minute < 1440; minute++)
      for (let number = 0; number < 40; number++) {
        pending.add(count(minute, `c${number}`));
        most = Math.max(most, pending.size);
      }
    // 96 quarters of 40, and what came since they were merged last.
    expect(most).to.be.at.most(2 * 96 * 40 + 1);
    const all = pending.take(Infinity);
    expect(timesOf(all)).to.equal(1440 * 40);
    // The day of a time zone begins at a quarter at the latest.
    expect(new Set(all.filter(({ times }) => times === 15).map(({ minute }) => minute % 15))).to.deep.equal(
      new Set([0]),
    );
  });
});
