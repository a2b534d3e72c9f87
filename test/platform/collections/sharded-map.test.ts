import { expect } from 'chai';
import { ShardedMap } from '../../../platform/collections/sharded-map.js';

describe('a sharded map', () => {
  it('holds what was set last for each key', () => {
    const map = new ShardedMap<number>();
    const keys = ['', 'a', 'ab', 'ba', '\ud800', 'a long name of more than twelve letters', 'more than twelve letters'];
    for (const [at, key] of keys.entries()) map.set(key, at);
    map.set('ab', -1);
    expect(keys.map((key) => map.get(key))).to.deep.equal([0, 1, -1, 3, 4, 5, 6]);
    expect(map.size).to.equal(keys.length);
    expect([map.has('ab'), map.has('abc'), map.get('abc')]).to.deep.equal([true, false, undefined]);
  });
});
