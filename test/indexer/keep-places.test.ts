import { expect } from 'chai';
import fc from 'fast-check';
import { keepPlaces } from '../../indexer/keep-places.js';
import { madeCreative } from '../support/made-snapshot.js';

describe('the places of a large catalogue', () => {
  const catalogue = (ids: readonly string[]) => ids.map((id) => madeCreative(id));
  const placed = (ids: string, live: string): string =>
    keepPlaces(catalogue(ids.split('')), catalogue(live.split('')))
      .map(({ id }) => id)
      .join('');

  it('stay those of live creatives; new ones fill free places first, then come last', () => {
    expect(placed('edcba', 'abcde')).to.equal('abcde');
    expect(placed('xbcde', 'abcde')).to.equal('xbcde');
    expect(placed('abcdefg', 'abcde')).to.equal('abcdefg');
    expect(placed('bcdx', 'abcde')).to.equal('xbcd');
    expect(placed('cde', 'abcde')).to.equal('dec');
    expect(placed('abc', '')).to.equal('abc');
  });

  it('contain each creative once, with its new content', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map((at) => `c${at}`));
    fc.assert(
      fc.property(ids, ids, (now, before) => {
        const creatives = now.map((id) => madeCreative(id, { name: `New ${id}` }));
        const result = keepPlaces(creatives, catalogue(before));
        expect(result).to.have.members(creatives);
        for (const [place, id] of before.slice(0, now.length).entries())
          if (now.includes(id)) expect(result[place]!.id).to.equal(id);
      }),
    );
  });
});
