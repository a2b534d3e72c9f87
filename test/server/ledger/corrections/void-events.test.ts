import { expect } from 'chai';
import { closeMonth } from '../../../../server/invoice/close-month.js';
import { invoice } from '../../../../server/invoice/invoice.js';
import { readStoredInvoice } from '../../../../server/invoice/stored-invoices.js';
import { findVoidable, voidEvents } from '../../../../server/ledger/corrections/void-events.js';
import { openForWriting } from '../../../../server/ledger/database.js';
import type { LedgerDatabase } from '../../../../server/ledger/tables/ledger-database.js';
import type { UsageEvent } from '../../../../server/ledger/tables/ledger.js';
import { listCorrections } from '../../../../server/ledger/corrections/list-corrections.js';
import type { VoidRule } from '../../../../server/ledger/corrections/void-rule.js';
import { rebuildRollUps } from '../../../../server/ledger/sums/rebuild.js';
import { createRetention } from '../../../../server/ledger/retention.js';
import type { Claims } from '../../../../server/domain/claims.js';
import { asJson } from '../../../../server/reports/formats.js';
import { report } from '../../../../server/reports/report.js';
import { testClaims, testDigest } from '../../../support/test-claims.js';
import {
  allSums,
  readLedger,
  rowsOf,
  STORES,
  type TemporaryLedger,
  temporaryLedgerIn,
  writeLedger,
} from '../temporary-ledger.js';

const basis = { currency: 'EUR', timeZone: 'Europe/Berlin' };
const after = Date.UTC(2025, 0, 1);
const cpc = { model: 'cpc', micros: 450_001 } as const;

interface Past {
  readonly at: string;
  readonly kind?: UsageEvent['kind'];
  readonly claims?: Partial<Claims>;
}

for (const store of STORES) {
  describe(`a correction in ${store}`, () => {
    let temporary: TemporaryLedger;
    let next = 0;
    beforeEach(async () => {
      temporary = await temporaryLedgerIn(store);
      next = 0;
    });
    afterEach(() => temporary.remove());

    const recorded = async (...events: Past[]): Promise<void> => {
      const ledger = await temporary.open(basis);
      for (const { at, kind = 'click', claims = {} } of events) {
        const said = testClaims({ advertiser: 'Acme', pricing: cpc, ...claims });
        await ledger.record({ kind, id: testDigest(next++), claims: said, at: Date.parse(at) });
      }
      await ledger.close();
    };
    const written = <T>(use: (database: LedgerDatabase) => T): T => writeLedger(temporary.location, use);
    const read = <T>(use: (database: LedgerDatabase) => T): T => readLedger(temporary.location, use);
    const close = (month: number) => written((database) => closeMonth(database, 'Acme', month, basis, after));
    const voided = (rule: VoidRule, reason = 'a script') =>
      written((database) => voidEvents(database, { rule, reason, timeZone: basis.timeZone, now: after }));
    const ask = (month: number) => read((database) => invoice(database, 'Acme', month, basis));
    const total = (by: readonly ('day' | 'publisher')[] = []) =>
      read((database) => asJson(report(database, { by, test: false }, basis)));
    const found = (rule: VoidRule) =>
      read((database) => findVoidable(database, rule)).reduce((sum, { events }) => sum + events, 0);
    const spending = async () => {
      const ledger = await temporary.open(basis);
      const spent = await ledger.spending(after);
      await ledger.close();
      return spent.map(({ campaign, total: all }) => [campaign, all]);
    };
    const everything = () =>
      written((database) => [
        ...allSums(database),
        ...['events', 'voided', 'invoices', 'invoice_documents'].map((table) =>
          rowsOf(database, `select * from ${table} order by 1, 2`),
        ),
      ]);

    it('credits events billed in closed months on the next invoice, and leaves those months as they are', async () => {
      await recorded(
        { at: '2024-10-05T12:00Z', claims: { publisher: 'Bad' } },
        { at: '2024-10-06T12:00Z', claims: { publisher: 'Bad' } },
        { at: '2024-10-06T12:00Z' },
        { at: '2024-11-06T12:00Z' },
        { at: '2024-11-07T12:00Z', claims: { publisher: 'Bad' } },
      );
      close(202410);
      const october = read((database) => readStoredInvoice(database, 'Acme', 202410, 'json'));
      const lines = [ask(202410).lines, ask(202411).lines];
      expect(voided({ publisher: 'Bad' })).to.equal(1);
      expect(read((database) => readStoredInvoice(database, 'Acme', 202410, 'json'))).to.equal(october);
      expect([ask(202410).lines, ask(202411).lines]).to.deep.equal(lines);
      expect(ask(202410).credits).to.deep.equal([]);
      const { credits, totalMicros, payableMicros } = ask(202411);
      const line = { campaign: 'Spring', creative: 'mower-1', model: 'cpc', priceMicros: 450_001n, reason: 'a script' };
      expect(credits).to.deep.equal([
        { ...line, events: -2, amountMicros: -900_002n, billedIn: '2024-10', correction: 1 },
        { ...line, events: -1, amountMicros: -450_001n, billedIn: '2024-11', correction: 1 },
      ]);
      expect([totalMicros, payableMicros]).to.deep.equal([-450_001n, -450_000n]);
      close(202411);
      for (const [format, part] of [
        ['json', '"amount": "-0.900002"'],
        ['csv', 'cpc,-2,0.450001,-0.900002,EUR,,2024-10,1,a script,000002,closed'],
        ['html', 'clicks billed in 2024-10: a script (correction 1)'],
      ] as const) {
        expect(read((database) => readStoredInvoice(database, 'Acme', 202411, format))).to.include(part);
      }
    });

    it('is reported besides the counted events, and returns money to budgets, also after a rebuild', async () => {
      await recorded(
        { at: '2024-10-05T22:30Z', claims: { publisher: 'Bad' } },
        { at: '2024-10-05T12:00Z', claims: { publisher: 'Bad' }, kind: 'impression' },
        { at: '2024-10-06T12:00Z' },
      );
      const before = total().total;
      voided({ publisher: 'Bad' });
      expect(total().total).to.deep.equal({ ...before, voided: 2, credits: '0.450001' });
      const rows = total(['day', 'publisher']).rows.map((row) => [
        row.day,
        row.publisher,
        row.spend,
        row.voided,
        row.credits,
      ]);
      expect(rows).to.deep.equal([
        ['2024-10-05', 'Bad', '0.000000', 1, '0.000000'],
        ['2024-10-06', 'Bad', '0.450001', 1, '0.450001'],
        ['2024-10-06', 'Garden Chat', '0.450001', 0, '0.000000'],
      ]);
      expect(await spending()).to.deep.equal([['Spring', 450_001]]);
      const kept = everything();
      written((database) => rebuildRollUps(database, basis.timeZone));
      expect(everything()).to.deep.equal(kept);
      const tests = read((database) => report(database, { by: [], test: true }, basis));
      expect(tests.leftOut).to.equal(3);
    });

    it('lets an account spend the returned money again, and never counts a voided event again', async () => {
      const limits = { totalMicros: 900_002, dailyMicros: null };
      await recorded({ at: '2024-10-05', claims: { limits } }, { at: '2024-10-05', claims: { limits } });
      const ledger = await temporary.open(basis);
      const claims = testClaims({ advertiser: 'Acme', pricing: cpc, limits });
      const click = (number: number) =>
        ledger.record({ kind: 'click', id: testDigest(number), claims, at: Date.UTC(2024, 9, 5) });
      expect(await click(70)).to.deep.equal({ counted: false, reason: 'over-budget' });
      expect(voided({ ids: [testDigest(1)] })).to.equal(1);
      expect(await click(1)).to.deep.equal({ counted: false, reason: 'repeated' });
      expect(await click(71)).to.deep.equal({ counted: true, priceMicros: 450_001 });
      expect(await click(72)).to.deep.equal({ counted: false, reason: 'over-budget' });
      await ledger.close();
    });

    it('finds events by publisher, creative, kind, time and request id, and only those that count', async () => {
      await recorded(
        { at: '2024-10-05T10:00Z', claims: { creative: 'rake-1', campaign: null } },
        { at: '2024-10-05T11:00Z', kind: 'impression' },
        { at: '2024-10-05T12:00Z', kind: 'view', claims: { publisher: 'Bad' } },
        { at: '2024-10-05T13:00Z', claims: { test: true } },
        { at: '2024-10-05T14:00Z', claims: { limits: { totalMicros: 0, dailyMicros: null } } },
      );
      expect(found({})).to.equal(3);
      expect(found({ creative: 'rake-1' })).to.equal(1);
      expect(found({ campaign: '' })).to.equal(1);
      expect(found({ publisher: 'Bad' })).to.equal(1);
      expect(found({ kind: 'impression' })).to.equal(1);
      expect(found({ publisher: 'Bad', kind: 'click' })).to.equal(0);
      const [ten, eleven] = [Date.parse('2024-10-05T10:00Z'), Date.parse('2024-10-05T11:00Z')];
      expect([found({ from: ten, to: eleven }), found({ from: ten + 1 }), found({ to: ten })]).to.deep.equal([1, 2, 0]);
      expect(found({ ids: [testDigest(0), testDigest(4), testDigest(99)] })).to.equal(1);
      expect(voided({ ids: [testDigest(0)] })).to.equal(1);
      expect(found({})).to.equal(2);
      expect(voided({ ids: [testDigest(0)] })).to.equal(undefined);
      expect(voided({})).to.equal(2);
      const corrections = read(listCorrections);
      expect(corrections.map(({ events, credit, creditedIn }) => [events, credit, creditedIn])).to.deep.equal([
        [1, '0.450001', ['2024-10']],
        [2, '0.000000', []],
      ]);
      expect(corrections[0]).to.deep.include({ correction: 1, reason: 'a script', rule: { requestIds: 1 } });
    });

    it('is credited in the first open month of its advertiser, across the turn of the year', async () => {
      await recorded({ at: '2024-11-05T12:00Z' });
      close(202411);
      close(202412);
      voided({});
      expect(ask(202412).credits).to.deep.equal([]);
      expect(ask(202501).credits).to.have.length(1);
      expect(ask(202501).totalMicros).to.equal(-450_001n);
    });

    it('voids an event once if two processes do so at the same time', async () => {
      await recorded({ at: '2024-11-05T12:00Z' }, { at: '2024-11-06T12:00Z' });
      const race = (faster: VoidRule, number: number): number | undefined => {
        const database = openForWriting(temporary.location, 1000);
        const meddled: LedgerDatabase = {
          ...database,
          exclusively(write) {
            // By now, both have found the events.
            expect(voided(faster, 'faster')).to.equal(number);
            return database.exclusively(write);
          },
        };
        const slower = voidEvents(meddled, { rule: {}, reason: 'slower', timeZone: basis.timeZone, now: after });
        database.close();
        return slower;
      };
      expect(race({ ids: [testDigest(0)] }, 1)).to.equal(2);
      await recorded({ at: '2024-11-07T12:00Z' });
      expect(race({}, 3)).to.equal(undefined);
      expect(read(listCorrections).map(({ reason, events }) => [reason, events])).to.deep.equal([
        ['faster', 1],
        ['slower', 1],
        ['faster', 1],
      ]);
      expect(total().total).to.include({ voided: 3, credits: '1.350003' });
    });

    it('voids nothing if it finds another number of events than was confirmed', async () => {
      await recorded({ at: '2024-11-05T12:00Z' });
      const shown = read((database) => findVoidable(database, {})).length;
      await recorded({ at: '2024-11-06T12:00Z' });
      const confirm = (events: number) =>
        written((database) =>
          voidEvents(database, {
            rule: {},
            reason: 'a script',
            timeZone: basis.timeZone,
            now: after,
            confirmed: events,
          }),
        );
      expect(() => confirm(shown)).to.throw(
        'the rule now matches 2 events, not the 1 that were shown; nothing was voided',
      );
      expect(read(listCorrections)).to.deep.equal([]);
      expect(confirm(2)).to.be.a('number');
      expect(() => confirm(2)).to.throw('the rule now matches 0 events');
    });

    it('stays after the raw events are deleted, but needs them to be made', async () => {
      await recorded({ at: '2024-10-05T12:00Z' }, { at: '2024-10-06T12:00Z' }, { at: '2024-12-20T12:00Z' });
      voided({ ids: [testDigest(0)] });
      written((database) => {
        const retention = createRetention(database, basis.timeZone, 31);
        while (retention.step(after));
      });
      expect(found({})).to.equal(1);
      const kept = everything();
      written((database) => rebuildRollUps(database, basis.timeZone));
      expect(everything()).to.deep.equal(kept);
      expect(total().total).to.include({ spend: '1.350003', credits: '0.450001' });
    });
  });
}
