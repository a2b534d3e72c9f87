import type { Calendar } from '../../../platform/time/calendar.js';
import { accountKey } from '../../domain/billing.js';
import type { Batch } from '../tables/batch.js';
import { createDimensionSetIds, dimensionSetOf } from '../tables/dimension-sets.js';
import type { EventRow, EventTables } from '../tables/event-tables.js';
import { needsExclusiveLock, limitedAccounts } from './budget-locks.js';
import { PostgresError, type PostgresConnection } from './postgres-connection.js';
import { idsOf } from './postgres-dimension-sets.js';
import { NOTHING_KNOWN, readKnown } from './read-known.js';
import { takeSlot } from './slots.js';
import type { PostgresQuery } from './postgres-worker.js';
import { insertEvents, MOVE_CLOCK, sumQueries } from './writes.js';

/** After so many failures caused by other writers, a batch is counted under an exclusive lock. */
const MAX_SHARED_TRIES = 4;
/** Duplicate key (another writer stored an event first), serialisation failure, deadlock. */
const CONFLICT_CODES = /^(23505|40001|40P01)$/;

/**
 * The hot path in PostgreSQL, for several servers that count at the same time: two round trips per batch. The first
 * reads everything that decides the outcomes, the second writes everything and commits. All batches share an advisory
 * lock; closing a month, rebuilding roll-ups and similar work hold it exclusively. If another server has stored an
 * event of the batch in the meantime, the whole batch fails and is counted again. Each server adds to sums in its own
 * slot, so that servers do not wait for each other. Only batches with events of the same account wait for each other,
 * from reading its spend until the commit, and only while one of its limits is near (`budget-locks.ts`).
 */
export function createPostgresEventTables(connection: PostgresConnection, calendar: Calendar): EventTables {
  const slot = takeSlot(connection);
  const dimensionSets = createDimensionSetIds((rows) => idsOf(connection, rows));
  /** Accounts that were near a limit when last checked. */
  const nearLimit = new Set<string>();
  let known = NOTHING_KNOWN;
  let added: EventRow[] = [];
  let writes: PostgresQuery[] | undefined;

  const add = (queries: readonly PostgresQuery[]): void => {
    if (writes === undefined) connection.send(queries, false);
    else writes.push(...queries);
  };
  const read = (batch: Batch, exclusive: boolean): void => {
    const limited = limitedAccounts(batch.events, calendar);
    for (;;) {
      known = readKnown(connection, batch, limited, nearLimit, exclusive);
      const unsafe = limited.filter((account) => {
        const needsLock = needsExclusiveLock(account, (day) => known.spent.get(`${day} ${account.key}`) ?? 0, slot);
        if (!needsLock) nearLimit.delete(account.key);
        return needsLock && !nearLimit.has(account.key);
      });
      if (unsafe.length === 0) return;
      // Two holders of a shared lock cannot both wait to make it exclusive: the transaction begins again.
      connection.rollBack();
      for (const { key } of unsafe) nearLimit.add(key);
    }
  };
  const attempt = <T>(batch: Batch, count: () => T, exclusive: boolean): T => {
    read(batch, exclusive);
    added = [];
    writes = [];
    const result = count();
    connection.send([...(added.length > 0 ? [insertEvents(added)] : []), ...writes, { text: 'commit' }], false);
    return result;
  };
  return {
    dimensionSets,
    write(batch, count) {
      dimensionSets.learn([
        ...batch.events.map(({ claims }) => dimensionSetOf(claims)),
        ...batch.counts.map(({ dimensionSet }) => dimensionSet),
      ]);
      for (let tries = 0; ; tries++) {
        try {
          return attempt(batch, count, tries >= MAX_SHARED_TRIES);
        } catch (error) {
          connection.rollBack();
          const isConflict = error instanceof PostgresError && !error.lost && CONFLICT_CODES.test(error.code);
          if (!isConflict || tries > MAX_SHARED_TRIES) throw error;
        } finally {
          writes = undefined;
        }
      }
    },
    issuedFrom: () => known.issuedFrom,
    isClosed: (advertiser, month) => known.closed.has(`${month}${advertiser.toWellFormed()}`),
    shownAt: (id) => known.events.get(`impression${id}`),
    shownForMs(id, moment = known.readAt) {
      const shown = known.shownForMs.get(id);
      return shown === undefined ? Infinity : shown - (known.readAt - moment);
    },
    spent: (account, day) => known.spent.get(`${day} ${accountKey(account)}`) ?? 0,
    addEvent(event) {
      const key = event.kind + event.id;
      if (known.events.has(key)) return false;
      known.events.set(key, event.at);
      if (event.kind === 'impression') known.shownForMs.set(event.id, known.readAt - (event.seenAt ?? known.readAt));
      added.push(event);
      return true;
    },
    addSums: (sums) => add(sumQueries(sums, slot)),
    moveClock: (mark) => add([{ text: MOVE_CLOCK, values: [String(mark)], name: 'move_clock' }]),
  };
}
