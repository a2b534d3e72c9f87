import Table from 'cli-table3';
import { expect } from 'chai';
import { drawTable } from '../../../platform/command-line/draw-table.js';

describe('a table for a terminal', () => {
  const head = ['name', 'spent'];
  const colAligns = ['left', 'right'] as const;
  const rowOf = (at: number): string[] => [
    at % 7 === 0 ? `${at}\n広告 ${'x'.repeat(at % 31)}` : `row ${at}`,
    `${at * at}`,
  ];

  for (const compact of [true, false]) {
    it(`is drawn in pieces as it would be in one, with${compact ? 'out' : ''} lines between rows`, () => {
      for (const length of [0, 1, 100, 101, 250, 300]) {
        const rows = Array.from({ length }, (_, at) => rowOf(at));
        const whole = new Table({ head, colAligns: [...colAligns], style: { head: [], border: [], compact } });
        whole.push(...rows);
        expect(drawTable({ head, colAligns, compact }, rows), String(length)).to.equal(whole.toString());
      }
    });
  }

  it('of 20,000 rows takes seconds', () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => Array.from({ length: 8 }, () => `cell ${at}`));
    const drawn = drawTable({ head: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] }, rows);
    expect(drawn.split('\n')).to.have.length(20_004);
  }).timeout(60_000);
});
