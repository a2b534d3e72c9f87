import { expect } from 'chai';
import fc from 'fast-check';
import { findIllFormedText, isReadable } from '../../../platform/text/well-formed.js';

describe('ill-formed text', () => {
  it('is found at any position, in order', () => {
    const value = { a: '\ud800', b: [{ c: 'whole 😀' }, { d: 'half \udc00' }], e: { '\ud83d': 1 }, f: 7, g: null };
    expect(findIllFormedText(value)).to.deep.equal(['a', 'b.1.d', 'e']);
    expect(findIllFormedText('\ud800')).to.deep.equal(['']);
    expect(findIllFormedText(value, 1)).to.deep.equal(['a']);
  });

  it('is exactly the text that changes when converted to bytes and back', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        const texts: string[] = [];
        const value: unknown = JSON.parse(text, (key, inner: unknown) => {
          texts.push(key, typeof inner === 'string' ? inner : '');
          return inner;
        });
        const whole = texts.every((each) => Buffer.from(each).toString() === each);
        expect(findIllFormedText(value).length === 0).to.equal(whole);
      }),
    );
  });

  it('is found in arrays of any depth', () => {
    let deep: unknown = '\ud800';
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(findIllFormedText(deep)).to.have.length(1);
  });

  it('arrives as U+FFFD from command lines, environments and forms', () => {
    expect(['café', '日本', '👩‍👩‍👧‍👦', ''].map(isReadable)).to.deep.equal([true, true, true, true]);
    expect(['caf\ufffd', '\ud800'].map(isReadable)).to.deep.equal([false, false]);
  });
});
