import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { csvOf } from '../../../platform/text/csv.js';

describe('a CSV', () => {
  const written = (name: string): string =>
    parse(csvOf([{ name, amount: '-1.00' }], ['name', 'amount'], new Set(['amount'])))[1]![0]!;

  it('has no formula, also where a spreadsheet splits cells at semicolons, tabs or line ends', () => {
    expect(['=1', '+1', '-1', '@a'].map(written)).to.deep.equal(["'=1", "'+1", "'-1", "'@a"]);
    expect(written("x;=cmd|' /C calc'!A0;y")).to.equal("x;'=cmd|' /C calc'!A0;y");
    expect([';=1', '; =1', '\n=1', 'b\n=1+1'].map(written)).to.deep.equal([";'=1", "; '=1", "\n'=1", "b\n'=1+1"]);
    expect(written('x; "+1;\t@a;-1')).to.equal("x; \"'+1;\t'@a;'-1");
  });

  it('keeps other names as they are, and amounts', () => {
    for (const name of ['Bed; Bath', 'a=b', 'C++', 'A;B', '']) expect(written(name)).to.equal(name);
    expect(csvOf([{ amount: '-1.00', name: 'a' }], ['name', 'amount'], new Set(['amount']))).to.equal(
      'name,amount\r\na,-1.00\r\n',
    );
  });
});
