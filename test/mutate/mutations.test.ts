import { expect } from 'chai';
import { mutationsOf } from './mutations.js';

/** Returns the source with each of its mutations applied. */
const mutatedBy = (source: string): string[] =>
  mutationsOf('code.js', source).map(
    ({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end),
  );

describe('mutations of code', () => {
  it('negate conditions', () => {
    expect(mutatedBy('if (a) b; else c;')).to.deep.equal(['if (!(a)) b; else c;']);
    expect(mutatedBy('const a = b ? c : d;')).to.deep.equal(['const a = (b) ? d : c;']);
    expect(mutatedBy('const a = b && c;')).to.deep.equal(['const a = b || c;']);
    expect(mutatedBy('const a = b === c;')).to.deep.equal(['const a = b !== c;']);
  });

  it('move boundaries and change arithmetic, but not string concatenation', () => {
    expect(mutatedBy('const a = b < 2;')).to.deep.equal(['const a = b <= 2;']);
    expect(mutatedBy('const a = b + 2;')).to.deep.equal(['const a = b - 2;']);
    expect(mutatedBy('a += 2;')).to.deep.equal(['a -= 2;']);
    expect(mutatedBy("const a = b + 'text';")).to.deep.equal([]);
  });

  it('leave out calls and `await`', () => {
    expect(mutatedBy('a();')).to.deep.equal([';']);
    expect(mutatedBy('const b = await a();')).to.deep.equal(['const b = (a());']);
    expect(mutatedBy('a();').concat(mutatedBy('const b = c ?? d;'))).to.deep.equal([';', 'const b = (c);']);
  });

  it('return other values', () => {
    expect(mutatedBy('function a() { return b; }')).to.deep.equal(['function a() { return undefined; }']);
    expect(mutatedBy('const a = () => ({ b });')).to.deep.equal(['const a = () => undefined;']);
    expect(mutatedBy('const a = true;')).to.deep.equal(['const a = false;']);
  });
});
