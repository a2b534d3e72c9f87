import { expect } from 'chai';
import { describeFaults } from '../../indexer/fault-list.js';
import type { FeedFault } from '../../indexer/feed/feed-entry.js';

describe('the list of a feed’s faults', () => {
  const faults: FeedFault[] = Array.from({ length: 1030 }, (_, at) => [
    { position: { line: at + 1 }, field: 'price', message: 'is no amount' },
    { position: { line: at + 1 }, field: `categories.${at}`, message: 'must not be blank' },
  ]).flat();
  const rare: FeedFault = { position: { line: 2000 }, field: 'id', message: 'is required' };

  it('names the first of each field and counts the others, so that a rare fault is not lost among them', () => {
    const lines = describeFaults('a.csv', [...faults, rare], false);
    expect(lines).to.have.length(43);
    expect(lines[0]).to.equal('a.csv:1: price: is no amount');
    expect(lines.slice(40)).to.deep.equal([
      'a.csv:2000: id: is required',
      'a.csv: and 1,010 more faults of price (all with --verbose)',
      'a.csv: and 1,010 more faults of categories (all with --verbose)',
    ]);
  });

  it('names a fault of a value that all rows get once', () => {
    const set = faults.map(({ position }) => ({ position, field: 'price', message: 'is no amount' }));
    const mixed = [...set, rare, { ...rare, position: { line: 2001 } }];
    for (const origin of ['--set', '--set or mapping']) {
      expect(describeFaults('a.csv', mixed, true, new Map([['price', origin]]))).to.deep.equal([
        `a.csv: price (${origin}): is no amount (in 2,060 rows, first at line 1)`,
        'a.csv:2000: id: is required',
        'a.csv:2001: id: is required',
      ]);
    }
    expect(describeFaults('a.csv', set, true, new Map([['price', 'Preis']]))).to.have.length(2060);
  });

  it('has every fault with --verbose', () => {
    const lines = describeFaults('a.csv', [...faults, rare], true);
    expect(lines).to.have.length(2061);
    expect(lines.join()).to.not.include('more');
  });
});
