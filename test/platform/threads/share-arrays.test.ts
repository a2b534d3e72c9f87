import { expect } from 'chai';
import { shareArrays } from '../../../platform/threads/share-arrays.js';

describe('an object with shared arrays', () => {
  it('has the same content, and its typed arrays, however deep, are in shared memory', () => {
    const rest = { words: new Set(['a']), size: 2, none: null };
    const [bytes, wide] = [Uint8Array.of(1, 255), Uint32Array.of(2 ** 32 - 1)];
    const copy = shareArrays({ bytes, inner: { wide, narrow: new Uint16Array() }, ...rest });
    expect(copy).to.deep.equal({ bytes, inner: { wide, narrow: new Uint16Array() }, ...rest });
    for (const array of [copy.bytes, copy.inner.wide, copy.inner.narrow])
      expect(array.buffer).to.be.instanceOf(SharedArrayBuffer);
  });
});
