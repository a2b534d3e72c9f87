import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { checkInvoices } from '../../../../server/invoice/check-invoices.js';
import { closeMonth } from '../../../../server/invoice/close-month.js';
import { checkSums } from '../../../../server/ledger/sums/check-sums.js';
import { voidEvents } from '../../../../server/ledger/corrections/void-events.js';
import { openForWriting, type LedgerLocation } from '../../../../server/ledger/database.js';
import { createRetention } from '../../../../server/ledger/retention.js';
import { Installation } from '../../../support/installation.js';
import { testClaims, testDigest } from '../../../support/test-claims.js';
import { copyOf, execute, readLedger, STORES, type TemporaryLedger, temporaryLedgerIn } from '../temporary-ledger.js';
import { HOUR } from '../../../../platform/time/durations.js';

const basis = { currency: 'USD', timeZone: 'Europe/Berlin' };
const begin = Date.UTC(2024, 8, 20);
const now = Date.UTC(2024, 11, 2);

/** Damage done to a correct ledger, and the difference that the check must report. */
const DAMAGES: readonly [sql: string, named: RegExp][] = [
  [
    `delete from events where id = x'${testDigest(1793)}'`,
    /^counters grain "quarter", start 2024-\d\d-\d\dT\d\d:(00|15|30|45):00\.000Z, .*publisher "p1".*times 1, should be 0/m,
  ],
  [
    `update events set price_micros = price_micros + 1 where id = x'${testDigest(1793)}'`,
    /^billed .*price_micros 450001/m,
  ],
  [
    "update counters set times = times + 1 where grain = 'day-total' and counted = 'decision'",
    /"day-total".*"decision".*should be/,
  ],
  [
    "update counters set micros = micros - 5 where grain = 'day-publisher' and micros > 0",
    /"day-publisher".*publisher "p\d".*micros \d+, should be \d+/,
  ],
  ['update billed set times = times - 1', /^billed day 2024-\d\d-\d\d, .*creative "c\d".*micros/m],
  [
    'update spend set micros = micros + 1 where day = -1',
    /^spend all days, advertiser "Green", campaign "x".*micros \d+, should be \d+/m,
  ],
  ['update spend set micros = micros + 1 where day > 0', /^spend day 2024-\d\d-\d\d, (campaign|creative) "/m],
  ['delete from voided', /reason "voided": times \d+, should be 0; micros -\d+, should be 0/],
  ['update voided set price_micros = price_micros - 1 where price_micros > 0', /^voided id "/m],
  [
    "update invoice_documents set content = replace(content, '2024', '2023') where format = 'csv'",
    /invoice 000001 of "Green": the stored csv/,
  ],
  [
    'delete from invoice_documents where number = 3; delete from invoices where number = 3',
    /invoice of "Green" for 2024-11: it is missing/,
  ],
  ['delete from closed_months', /invoice 000001: its month is not closed/],
  ['update invoices set number = 8 where number = 3', /invoices: 5 before 000008 are missing/],
  ["delete from invoice_documents where number = 2 and format = 'json'", /invoice 000002: its stored json is missing/],
  ['delete from invoice_documents where number = 2', /invoice 000002: its stored csv, html, json is missing/],
  ["delete from dimension_sets where publisher = 'p1'", /^events: a row refers to a missing row$/m],
];

for (const store of STORES) {
  describe(`npm run ledger -- check in ${store}`, () => {
    let temporary: TemporaryLedger;
    before(async () => {
      temporary = await temporaryLedgerIn(store);
      const ledger = await temporary.open(basis);
      const limits = { totalMicros: null, dailyMicros: 2_700_000 };
      const recorded = Array.from({ length: 1800 }, (_, number) => {
        const [at, test] = [begin + number * HOUR, number % 7 === 0];
        const [publisher, creative, campaign] = [`p${number % 2}`, `c${number % 3}`, number % 3 === 0 ? null : 'x'];
        const names = { publisher, creative, campaign, advertiser: campaign === null ? null : 'Green' };
        const price = { pricing: { model: 'cpc', micros: 450_000 } as const, ...(number % 3 === 1 ? { limits } : {}) };
        const claims = testClaims({ ...names, ...price, test, issuedAt: at });
        ledger.countDecision({ publisher, test, result: { filled: false, reason: 'below-floor' }, at });
        ledger.ignore({ kind: 'click', reason: 'crawler', claims, at });
        return ledger.record({ kind: number % 5 === 0 ? 'impression' : 'click', id: testDigest(number), claims, at });
      });
      await Promise.all(recorded);
      await ledger.close();
      const database = openForWriting(temporary.location, 0);
      closeMonth(database, 'Green', 202409, basis, now);
      const { timeZone } = basis;
      const rule = { publisher: 'p0', from: now - 2 * 24 * HOUR };
      voidEvents(database, { rule, reason: 'a script', timeZone, now });
      closeMonth(database, 'Green', 202410, basis, now);
      closeMonth(database, 'Green', 202411, basis, now);
      const retention = createRetention(database, basis.timeZone, 40);
      while (retention.step(now));
      database.close();
    });
    after(() => temporary.remove());

    const checked = (location = temporary.location): string[] =>
      readLedger(location, (database) => [...checkSums(database, basis.timeZone), ...checkInvoices(database, basis)]);

    it('finds no difference after counting, pruning, closing and voiding, also while a server counts', async () => {
      expect(checked()).to.deep.equal([]);
      const ledger = await temporary.open(basis);
      const claims = testClaims({ pricing: { model: 'cpc', micros: 450_000 }, issuedAt: now });
      const waiting = Array.from({ length: 200 }, (_, number) =>
        ledger.record({ kind: 'click', id: testDigest(10_000 + number), claims, at: now }),
      );
      await waiting[0];
      expect(checked()).to.deep.equal([]);
      await Promise.all(waiting);
      await ledger.close();
    });

    const copied = (): Promise<TemporaryLedger> => copyOf(temporary);

    for (const [damage, named] of DAMAGES) {
      it(`reports the difference after: ${damage}`, async () => {
        const copy = await copied();
        damaged(copy.location, store === 'SQLite' ? damage : damage.replace(/= x'(\w+)'/, "= decode('$1', 'hex')"));
        expect(checked(copy.location).join('\n')).to.match(named);
        await copy.remove();
      });
    }

    it('exits with 0 if everything agrees, reports differences and exits with 1 otherwise, and changes nothing', async () => {
      const copy = await copied();
      const commands = new Installation(copy.dataDir, { TIME_ZONE: 'Europe/Berlin', ...copy.env });
      const run = () => commands.attempt('server/commands/ledger/main.js', 'check');
      const before = store === 'SQLite' ? readFileSync(copy.file) : null;
      expect(await run()).to.deep.equal({
        code: 0,
        stdout: 'events, counters, bills, spend and invoices agree\n',
        stderr: '',
      });
      if (before !== null) expect(readFileSync(copy.file).equals(before)).to.equal(true);
      damaged(copy.location, 'update counters set times = times + 1');
      const { code, stdout, stderr } = await run();
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr)
        .to.match(/^the ledger is inconsistent:\ncounters grain "quarter"/)
        .and.include('counters: and more');
      await copy.remove();
    });
  });
}

function damaged(location: LedgerLocation, damage: string): void {
  if ('file' in location) {
    const database = new Sqlite(location.file);
    database.pragma('foreign_keys = off');
    database.exec(damage);
    database.close();
  } else {
    const database = openForWriting(location, 1000);
    execute(database, `set session_replication_role = replica; ${damage}`);
    database.close();
  }
}
