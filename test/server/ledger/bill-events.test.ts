import { expect } from 'chai';
import { openForWriting } from '../../../server/ledger/database.js';
import type { SqliteDatabase } from '../../../server/ledger/sqlite/sqlite-database.js';
import { openFileForWriting } from '../../../server/ledger/sqlite/sqlite-file.js';
import type { UsageEvent } from '../../../server/ledger/tables/ledger.js';
import { createLedgerStore } from '../../../server/ledger/bill-events.js';
import {
  execute,
  rowsOf,
  STORES,
  temporaryLedger,
  temporaryLedgerIn,
  type TemporaryLedger,
} from './temporary-ledger.js';
import { testClaims, testDigest } from '../../support/test-claims.js';

const eventOf = (number: number, creative: string): UsageEvent => ({
  kind: 'click',
  id: testDigest(number),
  claims: testClaims({ creative }),
  at: Date.UTC(2026, 10, 21),
});

describe('ledger on a full disk', () => {
  let temporary: TemporaryLedger;
  let database: SqliteDatabase;
  beforeEach(() => {
    temporary = temporaryLedger();
    database = openFileForWriting(temporary.file, 0);
  });
  afterEach(async () => {
    database.close();
    await temporary.remove();
  });

  it('writes nothing of a batch that does not fit, and all of it once there is space', () => {
    const store = createLedgerStore(database, 'UTC');
    store.write({ events: [eventOf(0, 'old')], counts: [] });
    const batch = { events: Array.from({ length: 5000 }, (_, number) => eventOf(number + 1, 'new')), counts: [] };
    const rows = (table: string) => database.file.prepare(`select count(*) from ${table}`).pluck().get();

    // SQLite's own limit gives the same SQLITE_FULL as a full disk.
    database.file.pragma(`max_page_count = ${Number(database.file.pragma('page_count', { simple: true })) + 10}`);
    expect(() => store.write(batch))
      .to.throw('database or disk is full')
      .with.property('code', 'SQLITE_FULL');
    const names = () =>
      database.file.prepare("select count(*) from dimension_sets where creative = 'new'").pluck().get();
    expect([rows('events'), names()]).to.deep.equal([1, 0]);

    database.file.pragma('max_page_count = 1000000');
    expect(store.write(batch).every(({ counted }) => counted)).to.equal(true);
    expect(rows('events')).to.equal(5001);
    const named = database.file.prepare(
      "select count(*) from events join dimension_sets using (dimension_set) where creative = 'new'",
    );
    expect(named.pluck().get()).to.equal(5000);
  });
});

for (const store of STORES) {
  describe(`a batch of several advertisers’ events in ${store}`, () => {
    it('bills each one in the first open month of its advertiser', async () => {
      const temporary = await temporaryLedgerIn(store);
      const database = openForWriting(temporary.location, 0);
      execute(
        database,
        "insert into closed_months values ('closed', 202610, 0), ('closed', 202611, 0), ('both', 202610, 0)",
      );
      const at = Date.UTC(2026, 9, 31);
      const events = ['closed', 'open', 'both', 'closed', 'open'].map((advertiser, number): UsageEvent => {
        const claims = testClaims({ advertiser, pricing: { model: 'cpc', micros: 7 }, issuedAt: at });
        return { kind: 'click', id: testDigest(number), claims, at };
      });
      createLedgerStore(database, 'UTC').write({ events, counts: [] });
      const bills = rowsOf(
        database,
        'select advertiser, month, sum(times) as times from billed join dimension_sets using (dimension_set) group by 1, 2 order by 1',
      );
      expect(bills).to.deep.equal([
        { advertiser: 'both', month: 202611, times: 1 },
        { advertiser: 'closed', month: 202612, times: 2 },
        { advertiser: 'open', month: 202610, times: 2 },
      ]);
      database.close();
      await temporary.remove();
    });
  });
}
