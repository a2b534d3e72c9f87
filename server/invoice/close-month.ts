import type { Database } from 'better-sqlite3';
import { monthAfter } from '../domain/billing.js';
import { createCalendar } from '../../models/time/calendar.js';
import { queries, run } from '../ledger/database.js';
import type { Installation } from '../ledger/installation.js';
import { invoice } from './invoice.js';
import { firstDateOf } from './month.js';
import { nextNumber, readStoredInvoice, storeInvoice } from './stored-invoices.js';

/** The month cannot be closed; the message says why. */
export class MonthOpenError extends Error {
  override readonly name = 'MonthOpenError';
}

/**
 * Freezes an advertiser's month and stores its invoice under the next number: what is recorded afterwards is billed in the
 * first later month that is open. Closing it again changes nothing.
 *
 * @param installation the ledger's own
 * @param now epoch milliseconds
 * @throws MonthOpenError while the month is not over
 */
export function closeMonth(
  database: Database,
  advertiser: string,
  month: number,
  installation: Installation,
  now: number,
): void {
  const end = createCalendar(installation.timeZone).startOf(firstDateOf(monthAfter(month)));
  if (now < end) {
    throw new MonthOpenError(`the month is not over: it can be closed from ${new Date(end).toISOString()} on`);
  }
  const close = (): void => {
    run(
      database,
      queries
        .insertInto('closed_months')
        .values({ advertiser, month, closed_at: now })
        .onConflict((conflict) => conflict.doNothing()),
    );
    // A month that an earlier release closed has no document yet, and cannot have changed since.
    if (readStoredInvoice(database, advertiser, month, 'json') !== undefined) return;
    const number = nextNumber(database);
    storeInvoice(database, { ...invoice(database, advertiser, month, installation), number }, month);
  };
  // An event is either before this transaction, and in the document, or after it.
  database.transaction(close).immediate();
}
