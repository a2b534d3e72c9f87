import { expect } from 'chai';
import { breakFormulas } from '../../../platform/text/break-formulas.js';

describe('formulas in a CSV', () => {
  it('are broken where a spreadsheet would split cells at semicolons or tabs', () => {
    expect(breakFormulas("x;=cmd|' /C calc'!A0;y")).to.equal("x;'=cmd|' /C calc'!A0;y");
    expect([';=1', '; =1', '\n=1'].map(breakFormulas)).to.deep.equal([";'=1", "; '=1", "\n'=1"]);
    expect(breakFormulas('b\n=1+1')).to.equal("b\n'=1+1");
    expect(breakFormulas('x; "+1;\t@a;-1')).to.equal("x; \"'+1;\t'@a;'-1");
  });

  it('leave other names as they are', () => {
    for (const name of ['Bed; Bath', 'a=b', 'C++', 'A;B', '']) expect(breakFormulas(name)).to.equal(name);
  });
});
