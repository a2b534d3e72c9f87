import { sql } from 'kysely';
import { createCalendar } from '../../platform/time/calendar.js';
import { type LedgerDatabase, queries } from './tables/ledger-database.js';
import { readKeptFrom, writeKeptFrom } from './tables/accounting-basis.js';

/**
 * Releases before this one deleted events by a clock that was ahead and wrote down a moment that is still to come. Which
 * events are missing is not known then: those of ads answered until now count no more, and days are complete from
 * tomorrow on. A ledger in order is left as it is. Where the clock is behind, time has passed at least until the newest
 * event that may have been deleted: none is counted again.
 *
 * @param timeZone the installation's
 * @param now epoch milliseconds
 */
export function mendKeptFrom(database: LedgerDatabase, timeZone: string, now: number): void {
  const mend = (): void => {
    const keptFrom = readKeptFrom(database);
    if (keptFrom <= now) return;
    const passed = Math.max(now, findEndOfDeleted(database, keptFrom));
    if (keptFrom > passed) writeKeptFrom(database, createCalendar(timeZone).dayOf(passed).end, passed);
  };
  database.exclusively(mend);
}

const QUARTER = 15 * 60_000;

/** The end of the last quarter of an hour before `keptFrom` that had events with rows of their own; 0: none had. */
function findEndOfDeleted(database: LedgerDatabase, keptFrom: number): number {
  const [last] = database.run(
    queries
      .selectFrom('counters')
      .select('start')
      .where('grain', '=', sql.lit('quarter-total' as const))
      .where('start', '<', Math.ceil(keptFrom / 60_000))
      .where('counted', '<>', sql.lit('decision' as const))
      .where(
        'reason',
        'in',
        ['', 'test', 'over-budget'].map((reason) => sql.lit(reason)),
      )
      .orderBy('start', 'desc')
      .limit(1),
  );
  return last === undefined ? 0 : last.start * 60_000 + QUARTER;
}
