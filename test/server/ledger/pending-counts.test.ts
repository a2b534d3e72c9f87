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

describe('pending counts', () => {
  it('are added up if they are equal', () => {
    const pending = createPendingCounts();
    for (const creative of ['a', 'b', 'a']) pending.add(count(7, creative));
    expect(pending.size).to.equal(2);
    expect(pending.take(10).map(({ times }) => times)).to.deep.equal([2, 1]);
    expect(pending.size).to.equal(0);
  });

  it('are taken in parts, and added again if a part could not be written', () => {
    const pending = createPendingCounts();
    for (let number = 0; number < 25; number++) pending.add(count(7, `c${number}`));
    const part = pending.take(10);
    expect([part.length, pending.size]).to.deep.equal([10, 15]);
    for (const each of part) pending.add(each);
    expect(timesOf([...pending.take(20), ...pending.take(20)])).to.equal(25);
  });

  it('are merged by quarters of an hour once very many are pending, and none is lost', () => {
    const pending = createPendingCounts(1000);
    let most = 0;
    // A day during which nothing can be written, with some decisions every minute for each of 40 creatives.
    for (let minute = 0; minute < 1440; minute++)
      for (let number = 0; number < 40; number++) {
        pending.add(count(minute, `c${number}`));
        most = Math.max(most, pending.size);
      }
    // 96 quarters with 40 creatives each, and the counts since the last merge.
    expect(most).to.be.at.most(2 * 96 * 40 + 1);
    const all = pending.take(Infinity);
    expect(timesOf(all)).to.equal(1440 * 40);
    // In every time zone, days begin on a quarter of an hour.
    expect(new Set(all.filter(({ times }) => times === 15).map(({ minute }) => minute % 15))).to.deep.equal(
      new Set([0]),
    );
  });
});
