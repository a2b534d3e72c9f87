import { expect } from 'chai';
import { FirstRows, firstRows } from '../../../server/admin/query/first-rows.js';

describe('the first rows in an order', () => {
  const items = Array.from({ length: 10_000 }, (_, place) => ({ place, value: (place * 7919) % 101 }));
  const byValue = (one: { value: number }, other: { value: number }): number => other.value - one.value;

  it('are those of a complete sort, with equal ones in the order in which they were added', async () => {
    for (const count of [0, 1, 100, 5000, 20_000]) {
      expect(await firstRows(items, count, byValue)).to.deep.equal(items.toSorted(byValue).slice(0, count));
    }
  });

  it('are found without ever sorting all items at once', () => {
    let comparisons = 0;
    const first = new FirstRows<{ value: number }>(10, (one, other) => {
      comparisons++;
      return byValue(one, other);
    });
    let most = 0;
    for (const item of items) {
      comparisons = 0;
      first.add(item);
      most = Math.max(most, comparisons);
    }
    expect(most)
      .to.be.above(0)
      .and.below(2010 * Math.log2(2010));
  });
});
