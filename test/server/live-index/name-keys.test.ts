import { expect } from 'chai';
import { nameKey } from '../../../models/text/name-key.js';
import { excludedBy, ineligibility } from '../../../server/decide/eligibility.js';
import { defaultSettings } from '../../../server/keys/key-file.js';
import { advertiserKeyOf, buildNameKeys, categoryKeysOf } from '../../../server/live-index/name-keys.js';
import { testCreative } from '../../support/test-snapshot.js';

describe('the names of a snapshot’s creatives, as they are compared', () => {
  const publisher = { ...defaultSettings('Garden'), test: false };
  const requester = { publisher, session: 's', now: Date.UTC(2026, 10, 22) };

  it('are those of each creative, with and without being made before', async () => {
    const creatives = [
      testCreative('plain', { categories: ['Cars', 'Loans'], advertiser: 'Acme' }),
      testCreative('german', { categories: ['Glücksspiel', 'Cars'], advertiser: 'Grün' }),
      testCreative('again', { categories: ['Glücksspiel', 'Cars'], advertiser: null }),
      testCreative('spaced', { categories: ['Used  Cars'], advertiser: 'ＡＣＭＥ' }),
      testCreative('none', { categories: [], advertiser: null }),
    ];
    const read = () =>
      creatives.map((creative) => ({ categories: categoryKeysOf(creative), advertiser: advertiserKeyOf(creative) }));
    const before = read();
    await buildNameKeys({ creatives });
    expect(read()).to.deep.equal(before);
    for (const [at, { categories, advertiser }] of creatives.entries()) {
      expect(before[at]).to.deep.equal({
        categories: categories.map(nameKey),
        advertiser: advertiser === null ? null : nameKey(advertiser),
      });
    }
  });

  it('are not made anew at each match, however many and whatever they are', async () => {
    // As many ligatures as a feed may have in a name.
    const slow = (at: number) => `${'\ufdfa'.repeat(20)}${at}`;
    const creatives = Array.from({ length: 1500 }, (_, ad) =>
      testCreative(`ad-${ad}`, {
        categories: Array.from({ length: 50 }, (_, at) => slow(at)),
        advertiser: slow(ad % 50),
      }),
    );
    await buildNameKeys({ creatives });
    const unwanted = { categories: ['Boats'], advertisers: ['Somebody else'] };
    const asking = { ...requester, excluded: excludedBy(unwanted) };
    const blocking = { ...requester, publisher: { ...publisher, blockedCategories: ['Boats'] } };
    const before = process.cpuUsage();
    for (const creative of creatives) {
      expect(ineligibility(creative, asking) ?? ineligibility(creative, blocking)).to.equal(null);
    }
    // Microseconds. To make the keys anew takes more than half a second, twice.
    expect(process.cpuUsage(before).user).to.be.below(300_000);
    const last = { ...requester, excluded: excludedBy({ categories: [slow(49)] }) };
    expect(creatives.every((creative) => ineligibility(creative, last) === 'excluded')).to.equal(true);
  });
});
