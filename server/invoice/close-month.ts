import { firstDateOf, monthAfter } from '../domain/billing-month.js';
import { createCalendar } from '../../platform/time/calendar.js';
import { type LedgerDatabase, queries } from '../ledger/tables/ledger-database.js';
import { readClockMark, type AccountingBasis } from '../ledger/tables/accounting-basis.js';
import type { Parties } from './billing/billing-file.js';
import { invoice } from './invoice.js';
import { nextNumber, readStoredInvoice, storeInvoice } from './stored-invoices.js';

/** The month cannot be closed yet; the message says why. */
export class MonthOpenError extends Error {
  override readonly name = 'MonthOpenError';
}

/**
 * Closes an advertiser's month and stores its invoice under the next number. Events recorded later are billed in the
 * next open month. Closing it again changes nothing. The month must be over by the ledger's clock too: a month closed
 * too early, because the machine's clock is ahead, could not be reopened.
 *
 * @param basis the ledger's
 * @param now the machine's time, epoch milliseconds
 * @param parties what the invoice says of seller and buyer, from now on
 * @throws MonthOpenError while the month is not over, by the machine's clock or the ledger's
 */
export function closeMonth(
  database: LedgerDatabase,
  advertiser: string,
  month: number,
  basis: AccountingBasis,
  now: number,
  parties: Parties = {},
): void {
  const end = createCalendar(basis.timeZone).startOf(firstDateOf(monthAfter(month)));
  const mark = readClockMark(database) ?? now;
  if (Math.min(now, mark) < end) {
    const clockNote =
      now < end
        ? ''
        : `. The ledger's clock, which advances while a server runs, is at ${new Date(mark).toISOString()}`;
    throw new MonthOpenError(
      `the month is not over: it can be closed from ${new Date(end).toISOString()} on${clockNote}`,
    );
  }
  const close = (): void => {
    if (readStoredInvoice(database, advertiser, month, 'json') !== undefined) return;
    database.run(queries.insertInto('closed_months').values({ advertiser, month, closed_at: now }));
    const number = nextNumber(database);
    storeInvoice(database, { ...invoice(database, advertiser, month, basis, parties), number }, month);
  };
  // Every event is either written before this transaction, and on the invoice, or after it.
  database.exclusively(close);
}
