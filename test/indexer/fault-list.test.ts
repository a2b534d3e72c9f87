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

  it('has every fault with --verbose', () => {
    const lines = describeFaults('a.csv', [...faults, rare], true);
    expect(lines).to.have.length(2061);
    expect(lines.join()).to.not.include('more');
  });
});
