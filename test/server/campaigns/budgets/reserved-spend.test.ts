import { expect } from 'chai';
import { createReservedSpend, createHolders } from '../../../../server/campaigns/budgets/reserved-spend.js';

describe('the reserved spend of served ads', () => {
  it('is weighted by how often ads are shown, soon or late, and clicked', () => {
    const held = createReservedSpend();
    held.add('cpm', 'fresh', 1000);
    held.add('cpm', 'late', 200);
    held.add('cpm', 'shown', 30);
    held.add('cpc', 'fresh', 10_000);
    held.add('cpc', 'late', 2000);
    held.add('cpc', 'shown', 300);
    expect(held.expected({ fresh: 0.5, late: 0.1 }, 0.01)).to.be.closeTo(
      500 + 20 + 30 + (5000 + 200 + 300) / 100,
      1e-9,
    );
  });

  it('is empty once everything is released, and its holder is removed', () => {
    const holders = createHolders();
    holders.add('one', 'cpm', 'fresh', 5);
    holders.add('one', 'cpc', 'late', 7);
    holders.add('other', 'cpm', 'shown', 1);
    holders.add('one', 'cpm', 'fresh', -5);
    expect([holders.size, holders.of('one')!.isEmpty]).to.deep.equal([2, false]);
    holders.add('one', 'cpc', 'late', -7);
    expect([holders.size, holders.of('one')]).to.deep.equal([1, undefined]);
    expect([...holders.entries()].map(([holder]) => holder)).to.deep.equal(['other']);
  });
});
