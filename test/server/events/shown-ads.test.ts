import { expect } from 'chai';
import { createShownAds } from '../../../server/events/shown-ads.js';

describe('ads just shown', () => {
  it('are those of the last half second, from when they were shown first', () => {
    let elapsed = 0;
    const ads = createShownAds(() => elapsed);
    expect(ads.isTooSoon('1')).to.equal(false);
    expect(ads.add('1')).to.equal(true);
    elapsed = 499;
    expect(ads.add('1')).to.equal(false);
    expect(ads.isTooSoon('1')).to.equal(true);
    elapsed = 500;
    expect(ads.isTooSoon('1')).to.equal(false);
    ads.add('2');
    expect(ads.size).to.equal(1);
  });

  it('are not those that turn out to have been shown before', () => {
    const ads = createShownAds(() => 0);
    ads.add('1');
    ads.remove('1');
    expect(ads.isTooSoon('1')).to.equal(false);
  });

  it('are no more than the limit', () => {
    const ads = createShownAds(() => 0, 10);
    for (let ad = 0; ad < 100; ad++) ads.add(String(ad));
    expect(ads.size).to.equal(10);
    expect(ads.isTooSoon('99')).to.equal(true);
  });
});
