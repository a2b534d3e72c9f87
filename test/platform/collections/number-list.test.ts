import { expect } from 'chai';
import { NumberList } from '../../../platform/collections/number-list.js';

describe('a list of numbers', () => {
  it('holds what was added and set, in order, also beyond its first chunks', () => {
    const list = new NumberList();
    expect([...list.values()]).to.deep.equal([]);
    for (let at = 0; at < 50_000; at++) list.push(at);
    list.set(0, 7);
    list.set(40_000, 2 ** 32 - 1);
    expect(list.length).to.equal(50_000);
    expect([0, 1, 16_383, 16_384, 40_000, 49_999].map((at) => list.get(at))).to.deep.equal([
      7,
      1,
      16_383,
      16_384,
      2 ** 32 - 1,
      49_999,
    ]);
    expect([...list.values()].length).to.equal(50_000);
  });
});
