import { expect } from 'chai';
import { closeMonth } from '../../../server/invoice/close-month.js';
import { invoice } from '../../../server/invoice/invoice.js';
import { type InvoiceListQuery, readInvoiceList } from '../../../server/invoice/invoice-list.js';
import { listInvoiceMonths, readInvoiceMonths } from '../../../server/invoice/invoice-months.js';
import { voidEvents } from '../../../server/ledger/corrections/void-events.js';
import type { LedgerDatabase } from '../../../server/ledger/tables/ledger-database.js';
import {
  execute,
  readLedger,
  STORES,
  type TemporaryLedger,
  temporaryLedgerIn,
  writeLedger,
} from '../ledger/temporary-ledger.js';
import { testClaims, testDigest } from '../../support/test-claims.js';

const basis = { currency: 'EUR', timeZone: 'UTC' };
const later = Date.UTC(2025, 0, 1);
const QUERY = { advertiser: null, month: null, preferredMonth: 202410, part: '', page: 1, perPage: 50 } as const;
/** In the order of people. */
const ADVERTISERS = ['', 'Acme 9', 'Acme 10', 'Bolt'];

for (const store of STORES) {
  describe(`a list of invoices in ${store}`, () => {
    let temporary: TemporaryLedger;
    before(async () => {
      temporary = await temporaryLedgerIn(store);
      const ledger = await temporary.open(basis);
      let next = 0;
      for (const [place, advertiser] of ADVERTISERS.entries()) {
        for (const month of [9, 10, 11].slice(0, place + 1)) {
          for (let event = 0; event <= place; event++) {
            const pricing = { model: 'cpm', micros: 1_234_567_000 + event * 1000 } as const;
            const claims = testClaims({ advertiser: advertiser || null, pricing, publisher: `Chat ${event}` });
            await ledger.record({
              kind: 'impression',
              id: testDigest(next++),
              claims,
              at: Date.UTC(2024, month - 1, 5),
            });
          }
        }
      }
      const free = testClaims({ advertiser: 'Free', pricing: null });
      await ledger.record({ kind: 'impression', id: testDigest(next), claims: free, at: Date.UTC(2024, 9, 5) });
      await ledger.close();
      written((database) => {
        closeMonth(database, 'Bolt', 202409, basis, later);
        // Of two advertisers: credited in September, and for the closed one in October.
        voidEvents(database, { rule: { publisher: 'Chat 1' }, reason: 'a script', timeZone: 'UTC', now: later });
        closeMonth(database, 'Acme 9', 202409, basis, later);
        closeMonth(database, 'Acme 9', 202408, basis, later);
      });
    });
    after(() => temporary.remove());

    const written = <T>(use: (database: LedgerDatabase) => T): T => writeLedger(temporary.location, use);
    const read = <T>(use: (database: LedgerDatabase) => T): T => readLedger(temporary.location, use, true);
    const list = (query: Partial<InvoiceListQuery> = {}) =>
      read((database) => readInvoiceList(database, { ...QUERY, ...query }, basis));

    it('has the total of each invoice, with credits, and its number and state', () => {
      const rows = read((database) =>
        listInvoiceMonths(database, {}).map((row) => ({
          row,
          whole: invoice(database, row.advertiser, row.month, basis),
        })),
      );
      expect(rows).to.have.length(10);
      for (const { row, whole } of rows) {
        expect(row.totalMicros, JSON.stringify(row.month)).to.equal(whole.totalMicros);
        expect(row.closedAt === null ? null : new Date(row.closedAt).toISOString()).to.equal(whole.closedAt);
      }
      expect(rows.filter(({ whole }) => whole.credits.length > 0)).to.have.length.greaterThan(4);
      expect(rows.flatMap(({ row }) => row.number ?? [])).to.have.members([1, 2, 3]);
      for (const selection of [
        { month: 202409 },
        { advertiser: 'Bolt' },
        { advertiser: '', month: 202409 },
        { month: 1 },
      ])
        expect(read((database) => listInvoiceMonths(database, selection))).to.deep.equal(
          rows
            .map(({ row }) => row)
            .filter((row) => Object.entries(selection).every(([key, value]) => row[key as 'month'] === value)),
        );
    });

    it('names every month with an invoice, latest first, also one without a line', () => {
      expect(read(readInvoiceMonths)).to.deep.equal([202411, 202410, 202409, 202408]);
    });

    it('lists the advertisers of a month by name: by default the preferred one, or else the latest', () => {
      const september = list({ month: 202409 });
      expect(september.rows.map(({ advertiser, number }) => [advertiser, number])).to.deep.equal([
        ['', null],
        ['Acme 9', '000002'],
        ['Acme 10', null],
        ['Bolt', '000001'],
      ]);
      expect([september.found, september.closed]).to.deep.equal([4, 2]);
      expect(list().month).to.equal('2024-10');
      expect(list({ preferredMonth: 202501 }).month).to.equal('2024-11');
      expect(list({ month: 202501 })).to.deep.include({ month: '2025-01', rows: [], found: 0 });
      expect(list({ month: 202409, part: 'aCME' }).rows.map(({ advertiser }) => advertiser)).to.deep.equal([
        'Acme 9',
        'Acme 10',
      ]);
    });

    it('lists all months of one advertiser, and no other of a similar name', () => {
      const of = (advertiser: string) => list({ advertiser }).rows.map(({ month }) => month);
      expect(of('Acme 9')).to.deep.equal(['2024-10', '2024-09', '2024-08']);
      expect([of(''), of('Acme'), of('Free')]).to.deep.equal([['2024-09'], [], []]);
    });

    it('is cut into pages, of which the last one stands for all beyond', () => {
      const page = (number: number) =>
        list({ month: 202409, page: number, perPage: 3 }).rows.map(({ advertiser }) => advertiser);
      expect([page(1), page(2), page(9)]).to.deep.equal([['', 'Acme 9', 'Acme 10'], ['Bolt'], ['Bolt']]);
    });

    it('has the stored amount of a closed invoice, whatever the ledger holds later', () => {
      const [bolt] = list({ month: 202409, part: 'bolt' }).rows;
      written((database) => execute(database, 'update billed set times = 7'));
      expect(list({ month: 202409, part: 'bolt' }).rows[0]).to.deep.equal(bolt);
      expect(bolt!.payable).to.equal('4.94');
      expect(list({ month: 202409, part: 'acme 10' }).rows[0]!.payable).to.not.equal('2.47');
    });
  });
}
