import { expect } from 'chai';
import { breakFormulas } from '../../../platform/text/break-formulas.js';

describe('formulas in a CSV', () => {
  it('are broken where a spreadsheet would split cells at semicolons or tabs', () => {
    expect(breakFormulas("x;=cmd|' /C calc'!A0;y")).to.equal("x;'=cmd|' /C calc'!A0;y");
    expect(breakFormulas('x; "+1;\t@a;-1')).to.equal("x; \"'+1;\t'@a;'-1");
  });

  it('leave other names as they are', () => {
    for (const name of ['Bed; Bath', 'a=b', 'C++', 'A;B', '']) expect(breakFormulas(name)).to.equal(name);
  });
});
