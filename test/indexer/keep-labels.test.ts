import { expect } from 'chai';
import fc from 'fast-check';
import { keepLabels } from '../../indexer/keep-labels.js';
import { testCreative } from '../support/test-snapshot.js';

describe('the labels of a large catalogue', () => {
  const catalogue = (ids: readonly string[]) => ids.map((id) => testCreative(id));
  const ordered = (ids: string, live: string): string =>
    keepLabels(catalogue(ids.split('')), catalogue(live.split('')))
      .map(({ id }) => id)
      .join('');

  it('stay those of live creatives; new ones fill free positions first, then come last', () => {
    expect(ordered('edcba', 'abcde')).to.equal('abcde');
    expect(ordered('xbcde', 'abcde')).to.equal('xbcde');
    expect(ordered('abcdefg', 'abcde')).to.equal('abcdefg');
    expect(ordered('bcdx', 'abcde')).to.equal('xbcd');
    expect(ordered('cde', 'abcde')).to.equal('dec');
    expect(ordered('abc', '')).to.equal('abc');
  });

  it('contain each creative once, with its new content', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map((at) => `c${at}`));
    fc.assert(
      fc.property(ids, ids, (now, before) => {
        const creatives = now.map((id) => testCreative(id, { name: `New ${id}` }));
        const result = keepLabels(creatives, catalogue(before));
        expect(result).to.have.members(creatives);
        for (const [position, id] of before.slice(0, now.length).entries())
          if (now.includes(id)) expect(result[position]!.id).to.equal(id);
      }),
    );
  });
});
