import { expect } from 'chai';
import { tableOf } from '../../../server/admin/pages/table.js';
import { addCounter, emptySums, measuresOf } from '../../../server/reports/measures.js';

describe('a table of a report', () => {
  it('shows voided events and credits next to the spend, in rows and total', () => {
    const sums = emptySums();
    addCounter(sums, { counted: 'click', reason: '', times: 3, micros: 1_350_000n });
    addCounter(sums, { counted: 'click', reason: 'voided', times: 2, micros: -900_001n });
    const row = measuresOf(sums);
    const { columns, rows, total } = tableOf({
      by: ['publisher'],
      rows: [
        { ...row, group: { publisher: 'Bad' } },
        { ...measuresOf(emptySums()), group: { publisher: 'Good' } },
      ],
      total: row,
      order: null,
      sortHref: () => '',
      nameHref: () => undefined,
      catalogue: { all: () => [], find: () => undefined },
    });
    const spend = columns.findIndex(({ title }) => title === 'Spend');
    const credited = { text: '1.350000', note: '0.900001 credited: 2 voided' };
    expect([rows[0]![spend], rows[1]![spend], total![spend]]).to.deep.equal([
      credited,
      { text: '0.000000', note: undefined },
      credited,
    ]);
    const clicks = columns.findIndex(({ title }) => title === 'Clicks');
    expect(rows[0]![clicks]!.text).to.equal('3');
  });
});
