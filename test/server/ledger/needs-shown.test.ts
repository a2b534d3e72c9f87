import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventKind } from '../../../models/schema/event-kinds.js';
import { elapsedMs } from '../../../platform/time/elapsed.js';
import { createLedgerStore, type LedgerStore } from '../../../server/ledger/bill-events.js';
import { openForWriting } from '../../../server/ledger/database.js';
import type { LedgerDatabase } from '../../../server/ledger/tables/ledger-database.js';
import type { UsageEvent } from '../../../server/ledger/tables/ledger.js';
import { rebuildRollUps } from '../../../server/ledger/sums/rebuild.js';
import { allSums, rowsOf, STORES, temporaryLedgerIn, type TemporaryLedger } from './temporary-ledger.js';
import { testClaims, testDigest } from '../../support/test-claims.js';

const eventOf = (number: number, kind: EventKind): UsageEvent => ({
  kind,
  id: testDigest(number),
  claims: testClaims({ pricing: { model: 'cpc', micros: 1000 } }),
  at: Date.UTC(2026, 10, 21),
});
const click = (number: number): UsageEvent => ({ ...eventOf(number, 'click'), needsShown: true });

for (const name of STORES) {
  describe(`a click that needs an impression in ${name}`, () => {
    let temporary: TemporaryLedger;
    let database: LedgerDatabase;
    let store: LedgerStore;
    before(async () => {
      temporary = await temporaryLedgerIn(name);
      database = openForWriting(temporary.location, 0);
      store = createLedgerStore(database, 'UTC');
    });
    after(async () => {
      database.close();
      await temporary.remove();
    });
    const write = (...events: UsageEvent[]) => store.write({ events, counts: [] });
    const unshown = { counted: false, reason: 'no-impression' };
    const counted = { counted: true, priceMicros: 1000 };
    const free = { counted: true, priceMicros: 0 };
    const counters = () => allSums(database)[0];

    it('is charged once the impression is stored, before the click or in the same batch, and never twice', () => {
      expect(write(click(1), eventOf(1, 'impression'), click(1), click(1))).to.deep.equal([
        unshown,
        free,
        counted,
        { counted: false, reason: 'repeated' },
      ]);
      write(eventOf(2, 'impression'));
      expect(write(click(2))).to.deep.equal([counted]);
    });

    it('is not charged after only a view or another ad’s impression, and leaves only a count that a rebuild reproduces', () => {
      const events = () => rowsOf(database, 'select count(*) as n from events');
      write(eventOf(3, 'view'));
      const before = events();
      expect(write(click(3))).to.deep.equal([unshown]);
      expect(events()).to.deep.equal(before);
      expect(store.spending(Date.UTC(2026, 10, 21))[0]).to.include({ total: 2000 });
      const summed = counters();
      rebuildRollUps(database, 'UTC');
      expect(counters()).to.deep.equal(summed);
    });

    it('is too soon after an impression of another server only if it is so by the database’s clock too', async () => {
      const { at } = click(6);
      const soon = { at: at + 100, shownBy: at - 400, shownElsewhere: true } as const;
      write(eventOf(6, 'impression'), eventOf(7, 'impression'));
      const isTooSoon = name === 'SQLite' ? counted : { counted: false, reason: 'too-soon' };
      expect(write({ ...click(6), ...soon })).to.deep.equal([isTooSoon]);
      expect(write({ ...click(6), ...soon, at: at + 500, shownBy: at })).to.deep.equal([
        name === 'SQLite' ? { counted: false, reason: 'repeated' } : counted,
      ]);
      // The other server's clock is ahead of this one's.
      await pause(600);
      expect(write({ ...click(7), ...soon })).to.deep.equal([counted]);
    });

    it('is too soon after an impression of the same batch, unless that arrived long before by a monotonic clock', () => {
      const { at } = click(8);
      const soon = { at: at + 100, shownBy: at - 400, shownElsewhere: true } as const;
      const seenAt = elapsedMs();
      const outcomes = write(
        eventOf(8, 'impression'),
        { ...click(8), ...soon },
        { ...eventOf(9, 'impression'), seenAt: seenAt - 1000 },
        { ...click(9), ...soon, seenAt: seenAt - 600 },
        { ...eventOf(10, 'impression'), seenAt: seenAt - 1000 },
        { ...click(10), ...soon, seenAt: seenAt - 400 },
      );
      const tooSoon = name === 'SQLite' ? counted : { counted: false, reason: 'too-soon' };
      expect(outcomes).to.deep.equal([free, tooSoon, free, tooSoon, free, counted]);
    });

    it('is too soon if its stored impression came after the moment given with the click', () => {
      const { at } = click(4);
      write({ ...eventOf(4, 'impression'), at });
      const tooSoon = { counted: false, reason: 'too-soon' };
      expect(write({ ...click(4), at: at + 499, shownBy: at - 1 })).to.deep.equal([tooSoon]);
      // The clock was set back after that impression.
      write({ ...eventOf(5, 'impression'), at: at + 1 });
      expect(write({ ...click(4), at: at + 500, shownBy: at }, { ...click(5), shownBy: at - 500 })).to.deep.equal([
        counted,
        counted,
      ]);
    });
  });
}
