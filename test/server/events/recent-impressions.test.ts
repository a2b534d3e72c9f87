import { expect } from 'chai';
import { createRecentImpressions } from '../../../server/events/recent-impressions.js';

describe('ads just shown', () => {
  it('are those first shown within the last half second', () => {
    let elapsed = 0;
    const ads = createRecentImpressions(() => elapsed);
    expect(ads.isTooSoon('1')).to.equal(false);
    ads.add('1')!.confirm();
    elapsed = 499;
    expect(ads.add('1')).to.equal(undefined);
    expect([ads.isTooSoon('1'), ads.mayBeTooSoon('1')]).to.deep.equal([true, false]);
    elapsed = 500;
    expect(ads.isTooSoon('1')).to.equal(false);
    ads.add('2');
    elapsed = 999;
    expect(ads.add('1')).to.not.equal(undefined);
    expect(ads.mayBeTooSoon('2')).to.equal(true);
    elapsed = 1000;
    ads.add('3');
    expect([ads.mayBeTooSoon('1'), ads.mayBeTooSoon('2')]).to.deep.equal([true, false]);
    elapsed = 2000;
    ads.add('4');
    expect(ads.size).to.equal(1);
  });

  it('do not include those that turn out to have been shown before', () => {
    const ads = createRecentImpressions(() => 0);
    ads.add('1')!.forget();
    expect([ads.isTooSoon('1'), ads.mayBeTooSoon('1')]).to.deep.equal([false, false]);
  });

  it('may include that of a beacon for which the ledger has no result yet, however late it returns the first', () => {
    let elapsed = 0;
    const ads = createRecentImpressions(() => elapsed);
    const first = ads.add('1')!;
    expect([ads.isTooSoon('1'), ads.mayBeTooSoon('1')]).to.deep.equal([false, true]);
    elapsed = 500;
    expect(ads.mayBeTooSoon('1')).to.equal(false);
    const again = ads.add('1')!;
    expect(ads.mayBeTooSoon('1')).to.equal(true);
    first.confirm();
    expect([ads.isTooSoon('1'), ads.mayBeTooSoon('1')]).to.deep.equal([false, true]);
    first.forget();
    expect(ads.mayBeTooSoon('1')).to.equal(true);
    again.forget();
    expect(ads.mayBeTooSoon('1')).to.equal(false);
  });

  it('are never more than the limit', () => {
    const ads = createRecentImpressions(() => 0, 10);
    for (let ad = 0; ad < 100; ad++) ads.add(String(ad));
    expect(ads.size).to.equal(10);
    expect(['90', '99'].map(ads.mayBeTooSoon)).to.deep.equal([true, true]);
  });
});
