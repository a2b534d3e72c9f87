import { expect } from 'chai';
import { closeMonth } from '../../../server/invoice/close-month.js';
import { ClosedMonthError } from '../../../server/ledger/sums/closed-bills.js';
import { openForWriting } from '../../../server/ledger/database.js';
import type { LedgerDatabase } from '../../../server/ledger/tables/ledger-database.js';
import { readKeptFrom, writeKeptFrom } from '../../../server/ledger/tables/accounting-basis.js';
import { rebuildRollUps } from '../../../server/ledger/sums/rebuild.js';
import { createRetention } from '../../../server/ledger/retention.js';
import {
  allowWrites,
  allSums,
  execute,
  refuseWrites,
  rowsOf,
  STORES,
  temporaryLedgerIn,
  type TemporaryLedger,
} from './temporary-ledger.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import { DAY } from '../../../platform/time/durations.js';

const now = Date.UTC(2026, 10, 22, 12);
const october = Date.UTC(2026, 9, 1, 12);

for (const store of STORES) {
  describe(`pruning and rebuilding a ledger with closed months in ${store}`, () => {
    let temporary: TemporaryLedger;
    let database: LedgerDatabase;
    beforeEach(async () => {
      temporary = await temporaryLedgerIn(store);
      const ledger = await temporary.open({ clock: () => now });
      for (const [number, at] of [october, october + DAY, now - 20 * DAY, now].entries()) {
        const claims = testClaims({ issuedAt: at, pricing: { model: 'cpc', micros: 900 } });
        await ledger.record({ kind: 'click', id: testDigest(number), claims, at });
        ledger.countDecision({ publisher: 'p', test: false, result: { filled: false, reason: 'sensitive' }, at });
      }
      await ledger.close();
      database = openForWriting(temporary.location, 0);
      closeMonth(database, 'Green', 202610, { currency: 'USD', timeZone: 'UTC' }, now);
    });
    afterEach(async () => {
      database.close();
      await temporary.remove();
    });

    const owed = () =>
      rowsOf<{ n: number }>(database, 'select sum(price_micros * times) as n from billed where month = 202610')[0]!.n;
    const events = () => rowsOf<{ n: number }>(database, 'select count(*) as n from events')[0]!.n;
    const sums = () => allSums(database) as unknown[][];

    it('keeps a closed bill if the first or any later step of pruning fails', () => {
      const before = sums();
      for (const table of ['installation', 'counters', 'events']) {
        const retention = createRetention(database, 'UTC', 31);
        const fault = table === 'installation' ? 'insert' : 'delete';
        refuseWrites(database, fault, table);
        expect(() => {
          while (retention.step(now));
        }, table).to.throw('disk is full');
        allowWrites(database, table);
        expect(readKeptFrom(database) === 0 || events() === 4, table).to.equal(true);
        if (table !== 'events') continue;
        while (retention.step(now));
      }
      expect([readKeptFrom(database), events()]).to.deep.equal([Date.UTC(2026, 9, 22), 2]);
      rebuildRollUps(database, 'UTC');
      expect(owed()).to.equal(1800);
      const withoutMinutes = (all: unknown[][]) => [
        all[0]!.filter((row) => (row as { grain: string }).grain !== 'minute'),
        ...all.slice(1),
      ];
      expect(withoutMinutes(sums())).to.deep.equal(withoutMinutes(before));
    });

    it('stores from when events are kept before it deletes the first one, also after a failed step', () => {
      const retention = createRetention(database, 'UTC', 31);
      refuseWrites(database, 'insert', 'installation');
      expect(() => retention.step(now)).to.throw('disk is full');
      expect(readKeptFrom(database)).to.equal(0);
      allowWrites(database, 'installation');
      expect(retention.step(now)).to.equal(true);
      expect([readKeptFrom(database), events()]).to.deep.equal([Date.UTC(2026, 9, 22), 4]);
      refuseWrites(database, 'delete', 'counters');
      expect(() => retention.step(now)).to.throw('disk is full');
      allowWrites(database, 'counters');
      while (retention.step(now));
      expect([readKeptFrom(database), events()]).to.deep.equal([Date.UTC(2026, 9, 22), 2]);
    });

    it('does not claim to keep more events after the retention time is extended', () => {
      const prune = (days: number) => {
        const retention = createRetention(database, 'UTC', days);
        while (retention.step(now));
      };
      prune(31);
      const before = sums();
      prune(60);
      expect(readKeptFrom(database)).to.equal(Date.UTC(2026, 9, 22));
      rebuildRollUps(database, 'UTC');
      expect(sums()).to.deep.equal(before);
    });

    it('deletes nothing if nothing was counted', () => {
      const empty = openForWriting({ file: ':memory:' }, 0);
      expect(createRetention(empty, 'UTC', 31).step(now)).to.equal(false);
      expect(readKeptFrom(empty)).to.equal(0);
      empty.close();
    });

    it('refuses a rebuild that would change a closed month, and changes nothing', () => {
      execute(database, `delete from events where at < ${october + DAY}`);
      const before = sums();
      expect(() => rebuildRollUps(database, 'UTC')).to.throw(ClosedMonthError, '202610 of Green is closed');
      execute(database, 'delete from events');
      expect(() => rebuildRollUps(database, 'UTC')).to.throw(ClosedMonthError, '202610 of Green is closed');
      expect(sums()).to.deep.equal(before);
      writeKeptFrom(database, now + DAY);
      rebuildRollUps(database, 'UTC');
      expect(sums()).to.deep.equal(before);
    });
  });
}
