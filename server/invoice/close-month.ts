import type { Database } from 'better-sqlite3';
import { monthAfter } from '../domain/billing.js';
import { createCalendar } from '../../models/time/calendar.js';
import { queries, run } from '../ledger/database.js';
import { firstDateOf } from './invoice.js';

/** The month cannot be closed; the message says why. */
export class MonthOpenError extends Error {
  override readonly name = 'MonthOpenError';
}

/**
 * Freezes an advertiser's month: what is recorded afterwards is billed in the first later month that is open. Closing it
 * again changes nothing.
 *
 * @param now epoch milliseconds
 * @throws MonthOpenError while the month is not over
 */
export function closeMonth(database: Database, advertiser: string, month: number, timeZone: string, now: number): void {
  const end = createCalendar(timeZone).startOf(firstDateOf(monthAfter(month)));
  if (now < end) {
    throw new MonthOpenError(`the month is not over: it can be closed from ${new Date(end).toISOString()} on`);
  }
  // One statement, in its own transaction: an event is either before it, and counted in the month, or after it.
  run(
    database,
    queries
      .insertInto('closed_months')
      .values({ advertiser, month, closed_at: now })
      .onConflict((conflict) => conflict.doNothing()),
  );
}
