import { expect } from 'chai';
import { ShardedMap, shardOf } from '../../../platform/collections/sharded-map.js';

describe('a sharded map', () => {
  it('holds what was set last for each key', () => {
    const map = new ShardedMap<number>();
    const keys = ['', 'a', 'ab', 'ba', '\ud800', 'a long name of more than twelve letters', 'more than twelve letters'];
    for (const [at, key] of keys.entries()) map.set(key, at);
    map.set('ab', -1);
    expect(keys.map((key) => map.get(key))).to.deep.equal([0, 1, -1, 3, 4, 5, 6]);
    expect(map.size).to.equal(keys.length);
    expect([map.has('ab'), map.has('abc'), map.get('abc')]).to.deep.equal([true, false, undefined]);
    for (const key of ['ab', 'abc']) map.delete(key);
    expect([map.has('ab'), map.get('ba'), map.size]).to.deep.equal([false, 3, keys.length - 1]);
  });

  it('spreads its entries, whatever its keys have in common', () => {
    for (const [before, behind] of [
      ['', ''],
      ['sku-0000000000000-', '@hill-dale.example'],
      ['', '.webp'],
    ] as const) {
      const sizes = new Map<number, number>();
      for (let at = 0; at < 25_600; at++) {
        const shard = shardOf(`${before}${at}${behind}`);
        sizes.set(shard, (sizes.get(shard) ?? 0) + 1);
      }
      expect(sizes.size, behind).to.equal(256);
      expect(Math.max(...sizes.values()), behind).to.be.below(200);
    }
  });

  it('does not enlarge all its shards at the same time', () => {
    const sizes = new Map<number, number>();
    let most = 0;
    for (let batch = 0; batch < 100; batch++) {
      let doubled = 0;
      for (let at = 0; at < 5000; at++) {
        const shard = shardOf(`c${batch * 5000 + at}`);
        const size = (sizes.get(shard) ?? 0) + 1;
        sizes.set(shard, size);
        // From a thousand entries on, doubling a table takes long.
        if (size >= 1024 && Number.isInteger(Math.log2(size))) doubled++;
      }
      most = Math.max(most, doubled);
    }
    expect(most).to.be.within(1, 25);
  });
});
