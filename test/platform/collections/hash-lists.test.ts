import { expect } from 'chai';
import fc from 'fast-check';
import { addFirst, firstIn, hashOf, newHashLists, nextIn, lengthOf } from '../../../platform/collections/hash-lists.js';

describe('lists of numbers by hash', () => {
  it('hold every number in the list of its hash, the last added first', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (hashes) => {
        const lists = newHashLists(hashes.length);
        for (const [number, hash] of hashes.entries()) addFirst(lists, hash, number);
        for (let hash = 0; hash <= 20; hash++) {
          const found: number[] = [];
          for (let number = firstIn(lists, hash); number >= 0; number = nextIn(lists, number)) found.push(number);
          expect(lengthOf(lists, hash)).to.equal(found.length);
          const own = found.filter((number) => hashes[number] === hash);
          const expected = [...hashes.keys()].filter((number) => hashes[number] === hash);
          expect(own).to.deep.equal(expected.toReversed());
        }
      }),
    );
  });

  it('are short, whatever the hashed words have in common', () => {
    for (const [before, behind] of [
      ['', ''],
      ['sku-0000000000000-', '@hill-dale.example'],
      ['', 'ium'],
    ] as const) {
      const sizes = new Map<number, number>();
      const lists = newHashLists(20_000);
      for (let at = 0; at < 20_000; at++) {
        const list = hashOf(`${before}${at}${behind}`, lists.seed) & (lists.heads.length - 1);
        sizes.set(list, (sizes.get(list) ?? 0) + 1);
      }
      expect(Math.max(...sizes.values()), before + behind).to.be.below(12);
    }
  });

  it('differ by a part of a word, and by a seed', () => {
    expect(hashOf('thermomix', 1, 0, 4)).to.equal(hashOf('ther', 1));
    expect(hashOf('thermomix', 1, 6)).to.equal(hashOf('mix', 1));
    expect(hashOf('mix', 5)).not.to.equal(hashOf('mix', 1));
    expect(newHashLists(1).seed).not.to.equal(newHashLists(1).seed);
  });
});
