import { expect } from 'chai';
import { figuresOf } from '../../../server/admin/pages/figures.js';
import { addCounter, emptySums, measuresOf } from '../../../server/reports/measures.js';

describe('the headline figures', () => {
  const sums = emptySums();
  addCounter(sums, { counted: 'impression', reason: '', times: 2, micros: 575_400_000n });
  const figure = (currency: string) => figuresOf(measuresOf(sums), null, currency)[0]!;

  it('are rounded to the units of the currency', () => {
    expect([figure('JPY').value, figure('USD').value]).to.deep.equal(['575', '575.40']);
  });

  it('say what was credited, since reports keep voided events and budgets do not', () => {
    expect(figure('USD').note).to.equal(null);
    addCounter(sums, { counted: 'impression', reason: 'voided', times: 1, micros: -1_850_000n });
    expect(figure('USD')).to.include({ value: '575.40', note: '−1.85 credited' });
  });
});
