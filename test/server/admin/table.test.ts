import { expect } from 'chai';
import { createCalendar } from '../../../platform/time/calendar.js';
import { nameLinks } from '../../../server/admin/pages/name-links.js';
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
      catalogue: { find: () => undefined },
      calendar: createCalendar('UTC'),
      currency: 'USD',
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

  it('links a campaign with its advertiser, since another may have one of the same name', () => {
    const view = { query: { from: '2026-11-01', to: '2026-11-30' }, traffic: { test: false, parameter: '' } };
    const links = nameLinks('/admin', view as never);
    expect(links('campaign', 'Spring', { campaign: 'Spring', advertiser: 'Acme' })).to.equal(
      '/admin/reports?by=creative&campaign=Spring&advertiser=Acme&from=2026-11-01&to=2026-11-30',
    );
    expect(links('advertiser', 'Acme', { advertiser: 'Acme' })).to.not.include('campaign');
    expect(links('campaign', 'Spring', { campaign: 'Spring', advertiser: null })).to.equal(
      '/admin/reports?by=creative&campaign=Spring&none=advertiser&from=2026-11-01&to=2026-11-30',
    );
  });

  it('keeps the filters of its rows in every link, and links to pages without filters only if there are none', () => {
    const view = { query: { from: '2026-11-01', to: '2026-11-30' }, traffic: { test: false, parameter: '' } };
    const links = nameLinks('/admin', view as never, { publisher: 'Chat', advertiser: '' });
    const rest = 'publisher=Chat&none=advertiser';
    const days = 'from=2026-11-01&to=2026-11-30';
    const found = (['day', 'creative', 'publisher', 'campaign'] as const).map((dimension) =>
      links(dimension, dimension === 'day' ? '2026-11-03' : 'X', { advertiser: null }),
    );
    expect(found).to.deep.equal([
      `/admin/reports?by=hour&${rest}&from=2026-11-03&to=2026-11-03`,
      `/admin/reports?by=day&publisher=Chat&creative=X&none=advertiser&${days}`,
      `/admin/reports?by=day&publisher=X&none=advertiser&${days}`,
      `/admin/reports?by=creative&publisher=Chat&campaign=X&none=advertiser&${days}`,
    ]);
    const own = nameLinks('/admin', view as never, { creative: 'tea' });
    expect(own('creative', 'tea', {})).to.equal(`/admin/creative?id=tea&${days}`);
  });

  it('shows money with the decimals of the currency, and more only where an amount has them', () => {
    const spent = (micros: bigint) => {
      const sums = emptySums();
      addCounter(sums, { counted: 'impression', reason: '', times: 1, micros });
      return measuresOf(sums);
    };
    const moneyOf = (currency: string, micros: bigint) => {
      const { rows } = tableOf({
        by: ['publisher'],
        rows: [{ ...spent(micros), group: { publisher: 'Chat' } }],
        total: null,
        order: null,
        sortHref: () => '',
        nameHref: () => undefined,
        catalogue: { find: () => undefined },
        calendar: createCalendar('UTC'),
        currency,
      });
      return rows[0]!.slice(-2).map(({ text }) => text);
    };
    expect(moneyOf('JPY', 575_000_000n)).to.deep.equal(['575', '575,000']);
    expect(moneyOf('JPY', 1_500_000n)).to.deep.equal(['1.5', '1,500']);
    expect(moneyOf('KWD', 575_000n)).to.deep.equal(['0.575', '575.000']);
    expect(moneyOf('EUR', 575_000n)).to.deep.equal(['0.575', '575.00']);
  });
});
