import { expect } from 'chai';
import fc from 'fast-check';
import { findIllFormedText, isReadable } from '../../../platform/text/well-formed.js';

describe('text that is not well-formed', () => {
  it('is found wherever it stands, first things first', () => {
    const value = { a: '\ud800', b: [{ c: 'whole 😀' }, { d: 'half \udc00' }], e: { '\ud83d': 1 }, f: 7, g: null };
    expect(findIllFormedText(value)).to.deep.equal(['a', 'b.1.d', 'e']);
    expect(findIllFormedText('\ud800')).to.deep.equal(['']);
    expect(findIllFormedText(value, 1)).to.deep.equal(['a']);
  });

  it('is exactly what does not survive its way through bytes', () => {
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

  it('is found in lists of any depth', () => {
    let deep: unknown = '\ud800';
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(findIllFormedText(deep)).to.have.length(1);
  });

  it('comes from outside as U+FFFD', () => {
    expect(['café', '日本', '👩‍👩‍👧‍👦', ''].map(isReadable)).to.deep.equal([true, true, true, true]);
    expect(['caf\ufffd', '\ud800'].map(isReadable)).to.deep.equal([false, false]);
  });
});
