import { sql } from '#kysely';
import { createCalendar } from '../../platform/time/calendar.js';
import { MINUTE, QUARTER_HOUR } from '../../platform/time/durations.js';
import { type LedgerDatabase, queries } from './tables/ledger-database.js';
import { readKeptFrom, writeKeptFrom } from './tables/accounting-basis.js';
import { STORED_REASONS } from './tables/schema.js';

/**
 * Repairs a `kept_from` in the future: a server whose clock was far ahead from its first start on has deleted events
 * and stored such a moment, and the clock was set right since. Which events are missing is then unknown: events of ads
 * served until now no longer count, and days are complete from tomorrow on. Leaves any other ledger as it is. If the
 * clock is behind, time has passed at least until the newest event that may have been deleted, so that none is counted
 * again.
 *
 * @param timeZone the ledger's
 * @param now epoch milliseconds
 */
export function repairKeptFrom(database: LedgerDatabase, timeZone: string, now: number): void {
  const repair = (): void => {
    const keptFrom = readKeptFrom(database);
    if (keptFrom <= now) return;
    const passed = Math.max(now, findEndOfDeleted(database, keptFrom));
    if (keptFrom > passed) writeKeptFrom(database, createCalendar(timeZone).dayOf(passed).end, passed);
  };
  database.exclusively(repair);
}

/**
 * Returns the end of the last quarter of an hour before `keptFrom` with events that had rows in `events`; 0: there is
 * none.
 */
function findEndOfDeleted(database: LedgerDatabase, keptFrom: number): number {
  const [last] = database.run(
    queries
      .selectFrom('counters')
      .select('start')
      .where('grain', '=', sql.lit('quarter-total' as const))
      .where('start', '<', Math.ceil(keptFrom / MINUTE))
      .where('counted', '<>', sql.lit('decision' as const))
      .where(
        'reason',
        'in',
        STORED_REASONS.map((reason) => sql.lit(reason)),
      )
      .orderBy('start', 'desc')
      .limit(1),
  );
  return last === undefined ? 0 : last.start * MINUTE + QUARTER_HOUR;
}
