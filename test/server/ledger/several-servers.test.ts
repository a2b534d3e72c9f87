import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { closeMonth } from '../../../server/invoice/close-month.js';
import { checkInvoices } from '../../../server/invoice/check-invoices.js';
import { checkSums } from '../../../server/ledger/sums/check-sums.js';
import { openForWriting } from '../../../server/ledger/database.js';
import { rebuildRollUps } from '../../../server/ledger/sums/rebuild.js';
import type { LedgerDatabase } from '../../../server/ledger/tables/ledger-database.js';
import { allSums, readLedger, rowsOf, type TemporaryLedger, temporaryLedgerIn } from './temporary-ledger.js';

const child = fileURLToPath(new URL('counting-child.js', import.meta.url));
const run = promisify(execFile);
const basis = { currency: 'USD', timeZone: 'UTC' };
const CLICKS = 4000;
const PRICE = 10;
/**
 * All clicks would cost 130,000. A batch of 40 is so small a part of the budget that servers need not take turns until
 * it is nearly spent.
 */
const BUDGET = 102_400;

describe('four servers that count one campaign in one PostgreSQL database', () => {
  let temporary: TemporaryLedger;
  let counted: string[];
  before(async function () {
    this.timeout(180_000);
    temporary = await temporaryLedgerIn('PostgreSQL');
    const { url } = temporary.location as { url: string };
    const servers = await Promise.all(
      [0, 1, 2, 3].map((node) =>
        run(process.execPath, [child, url, String(node), String(CLICKS), String(PRICE), String(BUDGET)]),
      ),
    );
    counted = servers.flatMap(({ stdout }) => stdout.split('\n').filter((line) => line !== ''));
  });
  after(() => temporary.remove());

  const reading = <T>(read: (database: LedgerDatabase) => T): T => readLedger(temporary.location, read);

  it('spend its whole budget and never more', () => {
    const spent = reading((database) => rowsOf(database, 'select sum(micros) as micros from spend where day = -1'));
    expect(spent).to.deep.equal([{ micros: BUDGET }]);
  });

  it('count each click once, and store clicks over the budget, also clicks that several servers receive', () => {
    expect(counted).to.have.length(BUDGET / PRICE);
    expect(new Set(counted).size).to.equal(BUDGET / PRICE);
    const stored =
      'select reason, count(*) as n, sum(price_micros) as micros from events group by reason order by reason';
    const all = CLICKS / 4 + 4 * (CLICKS - CLICKS / 4);
    expect(reading((database) => rowsOf(database, stored))).to.deep.equal([
      { reason: '', n: BUDGET / PRICE, micros: BUDGET },
      { reason: 'over-budget', n: all - BUDGET / PRICE, micros: 0 },
    ]);
  });

  it('have consistent sums, each server in its own slot, which a rebuild reproduces', () => {
    const slots = "select count(distinct slot) as n from counters where grain = 'day-total'";
    expect(reading((database) => rowsOf(database, slots))).to.deep.equal([{ n: 4 }]);
    expect(reading((database) => checkSums(database, 'UTC'))).to.deep.equal([]);
    const before = reading(allSums);
    const database = openForWriting(temporary.location, 5000);
    rebuildRollUps(database, 'UTC');
    closeMonth(database, 'Green', 202610, basis, Date.UTC(2027, 0, 1));
    database.close();
    expect(reading(allSums)).to.deep.equal(before);
    expect(reading((ledger) => [...checkSums(ledger, 'UTC'), ...checkInvoices(ledger, basis)])).to.deep.equal([]);
  });
});
