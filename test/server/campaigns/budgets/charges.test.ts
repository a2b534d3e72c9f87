import { expect } from 'chai';
import { Charges } from '../../../../server/campaigns/budgets/charges.js';

describe('the charges since a reading', () => {
  const [yesterday, today, tomorrow] = ['2026-11-28', '2026-11-29', '2026-11-30'] as const;
  const chargesOf = (...added: (readonly [micros: number, date: string])[]): Charges => {
    const charges = new Charges();
    for (const [micros, date] of added) charges.add('a', micros, date);
    return charges;
  };

  it('are summed by account, in total and for the latest day', () => {
    const charges = chargesOf([1, yesterday], [2, today], [4, today]);
    expect(charges.of('a', today)).to.deep.equal({ total: 7, today: 6 });
    expect(charges.of('a', tomorrow)).to.deep.equal({ total: 7, today: 0 });
    expect(charges.of('b', today)).to.deep.equal({ total: 0, today: 0 });
  });

  it('count an event of an earlier day, stored late, only in the total', () => {
    expect(chargesOf([2, today], [1, yesterday]).of('a', today)).to.deep.equal({ total: 3, today: 2 });
  });

  it('include later charges, whichever day these are of', () => {
    for (const [later, expected] of [
      [chargesOf([8, today]), { total: 10, today: 10 }],
      [chargesOf([1, yesterday]), { total: 3, today: 2 }],
    ] as const) {
      const charges = chargesOf([2, today]);
      charges.addAll(later);
      expect(charges.of('a', today)).to.deep.equal(expected);
    }
    const charges = chargesOf([2, yesterday]);
    charges.addAll(chargesOf([1, yesterday], [4, today]));
    expect(charges.of('a', today)).to.deep.equal({ total: 7, today: 4 });
  });
});
