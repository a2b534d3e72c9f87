import { expect } from 'chai';
import type { LedgerDatabase } from '../../../server/ledger/tables/ledger-database.js';
import {
  readClockMark,
  readIssuedFrom,
  readKeptFrom,
  writeClockMark,
  writeKeptFrom,
} from '../../../server/ledger/tables/accounting-basis.js';
import { repairKeptFrom } from '../../../server/ledger/repair-kept-from.js';
import type { UsageEvent } from '../../../server/ledger/tables/ledger.js';
import { createRetention } from '../../../server/ledger/retention.js';
import { runLedgerCommand } from './run-ledger-command.js';
import {
  readLedger,
  rowsOf,
  STORES,
  type TemporaryLedger,
  temporaryLedgerIn,
  writeLedger,
} from './temporary-ledger.js';
import { eventually } from '../../support/eventually.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import { DAY } from '../../../platform/time/durations.js';

const YEAR = 365 * DAY;
const now = Date.UTC(2026, 10, 22, 12);
const pricing = { model: 'cpc', micros: 1800 } as const;
const click = (number: number, issuedAt: number, at = issuedAt): UsageEvent => ({
  kind: 'click',
  id: testDigest(number),
  claims: testClaims({ issuedAt, pricing }),
  at,
});

for (const store of STORES) {
  describe(`a ledger under wrong clocks in ${store}`, () => {
    let temporary: TemporaryLedger;
    beforeEach(async () => {
      temporary = await temporaryLedgerIn(store);
    });
    afterEach(() => temporary.remove());

    const inFile = <T>(use: (database: LedgerDatabase) => T): T => writeLedger(temporary.location, use);
    const rows = <Row>(sql: string): Row[] => inFile((database) => rowsOf<Row>(database, sql));
    const prune = (at: number, keepDays = 31) =>
      inFile((database) => {
        const retention = createRetention(database, 'UTC', keepDays);
        while (retention.step(at));
      });

    it('continues from the latest time that it stored when it is opened under a clock that is years behind', async () => {
      const ledger = await temporary.open({ clock: () => now });
      await ledger.record(click(1, now));
      await ledger.close();
      const behind = await temporary.open({ clock: () => Date.UTC(2020, 0, 1) });
      expect(behind.now()).to.be.within(now, now + 60_000);
    });

    it('keeps the latest time that any of its processes stored', async () => {
      const [late, early] = [
        await temporary.open({ clock: () => now }),
        await temporary.open({ clock: () => now - YEAR }),
      ];
      await late.record(click(1, now));
      await early.record(click(2, now));
      await Promise.all([late.close(), early.close()]);
      expect(inFile(readClockMark)).to.be.at.least(now);
    });

    it('dates and bills no event before its ad was served', async () => {
      const ledger = await temporary.open({ clock: () => now });
      await ledger.record(click(1, now, Date.UTC(2020, 0, 1)));
      await ledger.close();
      expect(rows('select at, month from events')).to.deep.equal([{ at: now, month: 202611 }]);
      expect(rows('select month, day, times from billed')).to.deep.equal([
        { month: 202611, day: Date.UTC(2026, 10, 22) / 60_000, times: 1 },
      ]);
    });

    it('is pruned under a clock that is a year ahead as under a correct one, and bills nothing twice afterwards', async () => {
      const ledger = await temporary.open({ clock: () => now });
      const ids = [0, 1, 40, 100];
      for (const days of ids) await ledger.record(click(days, now - days * DAY));
      await ledger.close();
      prune(now + YEAR);
      expect(inFile(readKeptFrom)).to.equal(Date.UTC(2026, 9, 22));
      expect(rows('select count(*) as n from events')).to.deep.equal([{ n: 2 }]);
      const again = await temporary.open({ clock: () => now });
      const reasons = [];
      for (const days of ids) {
        const outcome = await again.record(click(days, now - days * DAY, now));
        reasons.push(outcome.counted ? 'counted' : outcome.reason);
      }
      expect(reasons).to.deep.equal(['repeated', 'repeated', 'expired', 'expired']);
      expect(await again.record(click(7, now))).to.have.property('counted', true);
    });

    it('keeps events within the retention time of its newest event, whatever the clocks show', async () => {
      const ledger = await temporary.open({ clock: () => now + YEAR });
      for (const days of [0, 30, 90]) await ledger.record(click(days, now - days * DAY));
      await ledger.close();
      prune(now + YEAR);
      expect(rows('select count(*) as n from events')).to.deep.equal([{ n: 2 }]);
    });

    it('is not pruned because of events alone that were dated by a clock that was ahead', async () => {
      const ledger = await temporary.open({ clock: () => now });
      for (const days of [0, 30]) await ledger.record(click(days, now - days * DAY));
      await ledger.record(click(1000, now + YEAR));
      await ledger.close();
      prune(now + YEAR);
      expect(rows('select count(*) as n from events')).to.deep.equal([{ n: 3 }]);
      expect(inFile(readKeptFrom)).to.equal(Date.UTC(2026, 9, 22));
    });

    it('is pruned by the machine’s clock if the ledger’s mark is a year ahead', async () => {
      const today = Date.now();
      const ahead = await temporary.open({ clock: () => today + YEAR });
      for (const days of [0, 30, 40]) await ahead.record(click(days, today - days * DAY));
      await ahead.record(click(1000, today + YEAR));
      await ahead.close();
      expect(inFile(readClockMark)).to.be.at.least(today + YEAR);
      await temporary.open({ keepEventsDays: 31 });
      const count = (): number =>
        readLedger(
          temporary.location,
          (database) => rowsOf<{ n: number }>(database, 'select count(*) as n from events')[0]!.n,
        );
      // One step deletes all events that are old enough.
      await eventually(() => expect(count()).to.be.below(4), 15_000);
      expect(count()).to.equal(3);
    });

    it('goes on counting once a clock that was a year ahead from the first start on is set right', async () => {
      const today = Date.now();
      const ahead = await temporary.open({ clock: () => today + YEAR });
      await ahead.record(click(0, today + YEAR));
      await ahead.close();
      prune(today + YEAR);
      expect(inFile(readKeptFrom)).to.be.above(today);
      expect((await runLedgerCommand(temporary, 'reset-clock')).code).to.equal(0);
      const ledger = await temporary.open();
      expect(await ledger.record(click(1, today - 1000, today))).to.deep.equal({ counted: false, reason: 'expired' });
      expect(await ledger.record(click(2, Date.now() + 1))).to.have.property('counted', true);
      await ledger.close();
      const [keptFrom, issuedFrom] = inFile((database) => [readKeptFrom(database), readIssuedFrom(database)]);
      expect(keptFrom % DAY).to.equal(0);
      expect(keptFrom - today).to.be.within(1, DAY + 60_000);
      expect(issuedFrom).to.be.within(today, Date.now());
    });

    it('remembers what was deleted if it is first opened under a clock that is years behind', async () => {
      const ledger = await temporary.open({ clock: () => now });
      for (const days of [0, 40, 33]) await ledger.record(click(days, now - days * DAY));
      await ledger.close();
      prune(now);
      inFile((database) => {
        writeClockMark(database, null);
        repairKeptFrom(database, 'UTC', Date.UTC(2020, 0, 1));
        expect(readKeptFrom(database)).to.be.within(now - 33 * DAY, Date.UTC(2026, 9, 22));
        expect(readIssuedFrom(database)).to.be.within(now - 33 * DAY, Date.UTC(2026, 9, 22));
      });
      const again = await temporary.open({ clock: () => now });
      for (const days of [33, 40]) {
        const outcome = await again.record(click(days, now - days * DAY, now));
        expect(outcome).to.deep.equal({ counted: false, reason: 'expired' });
      }
    });

    it('goes on counting if events of a clock that was ahead are dated after those that were deleted', async () => {
      const ledger = await temporary.open({ clock: () => now });
      for (const at of [now - DAY, now + YEAR]) await ledger.record(click(at, at));
      await ledger.close();
      inFile((database) => {
        writeKeptFrom(database, now + YEAR - 31 * DAY);
        repairKeptFrom(database, 'UTC', now);
        expect(readKeptFrom(database)).to.equal(Date.UTC(2026, 10, 23));
        expect(readIssuedFrom(database)).to.equal(now);
      });
    });

    it('follows the machine’s clock again after the command reset-clock', async () => {
      const ahead = Date.now() + YEAR;
      const ledger = await temporary.open({ clock: () => ahead });
      await ledger.record(click(1, ahead));
      expect((await runLedgerCommand(temporary, 'reset-clock')).err).to.include('the ledger is in use');
      await ledger.close();
      const { code, out } = await runLedgerCommand(temporary, 'reset-clock');
      expect(code).to.equal(0);
      expect(out).to.include(new Date(ahead).toISOString().slice(0, 10));
      const again = await temporary.open();
      expect(again.now()).to.be.below(ahead - YEAR + DAY);
    });
  });
}
