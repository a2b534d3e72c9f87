import { expect } from 'chai';
import { createClickRates, createShownRates } from '../../../../server/campaigns/budgets/observed-rates.js';

describe('observed rates', () => {
  it('start at the prior, and then follow the observations', () => {
    const rates = createShownRates();
    expect(rates.of('Chat')).to.deep.equal({ fresh: 0.9, late: 0.02 });
    for (let ad = 0; ad < 1980; ad++) rates.recordInTime('Chat', ad % 2 === 0);
    expect(rates.of('Chat').fresh).to.be.closeTo((990 + 18) / 2000, 1e-9);
    expect(rates.of('Other').fresh).to.equal(0.9);
  });

  it('keep their value when old observations lose half their weight, and then follow a change faster', () => {
    const rates = createClickRates(new Map([['Spring', { impressions: 20_000, clicks: 400 }]]));
    expect(rates.of('Spring')).to.be.closeTo(402 / 20_200, 1e-9);
    rates.recordImpression('Spring');
    expect(rates.of('Spring')).to.be.closeTo((200 * (20_000 / 20_001) + 2) / (10_000 + 200), 1e-9);
    for (let ad = 0; ad < 1000; ad++) rates.recordImpression('Spring');
    expect(rates.of('Spring')).to.be.closeTo((200 * (20_000 / 20_001) + 2) / (11_000 + 200), 1e-9);
  });
});
