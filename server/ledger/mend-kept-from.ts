import type { Database } from 'better-sqlite3';
import { createCalendar } from '../../models/time/calendar.js';
import { readKeptFrom, writeKeptFrom } from './installation.js';

/**
 * Releases before this one deleted events by a clock that was ahead and wrote down a moment that is still to come. Which
 * events are missing is not known then: those of ads answered until now count no more, and days are complete from
 * tomorrow on. A ledger in order is left as it is.
 *
 * @param timeZone the installation's
 * @param now epoch milliseconds
 */
export function mendKeptFrom(database: Database, timeZone: string, now: number): void {
  const mend = (): void => {
    if (readKeptFrom(database) > now) writeKeptFrom(database, createCalendar(timeZone).dayOf(now).end, now);
  };
  database.transaction(mend).immediate();
}
