import { expect } from 'chai';
import { describeHighPrices } from '../../indexer/campaign-terms.js';
import { testCreative } from '../support/test-snapshot.js';

describe('high prices of a feed', () => {
  const cpc = (id: string, units: number) =>
    testCreative(id, {
      campaign: id,
      advertiser: id,
      pricing: { model: 'cpc', micros: Math.round(units * 1_000_000) },
    });
  const usual = ['a', 'b', 'c', 'd'].map((id, at) => cpc(id, 0.4 + at / 10));

  it('are named where they are more than a hundred times as high as usual', () => {
    const absurd = cpc('evil', 999_999);
    expect(describeHighPrices([absurd, usual[0]!], [...usual, absurd], 'EUR')).to.deep.equal([
      'Far above the usual 0.60 EUR: evil 999999.00 per click. Is that meant? Such ads win against all that are almost as relevant.',
    ]);
    const dear = cpc('dear', 59);
    expect(describeHighPrices([dear], [...usual, dear], 'EUR')).to.deep.equal([]);
  });

  it('are not looked for among few campaigns', () => {
    const absurd = cpc('evil', 999_999);
    expect(describeHighPrices([absurd], [...usual.slice(1), absurd], 'EUR')).to.deep.equal([]);
  });
});
