import { monthAfter } from '../domain/billing.js';
import { createCalendar } from '../../platform/time/calendar.js';
import { type LedgerDatabase, queries } from '../ledger/tables/ledger-database.js';
import { readClockMark, type Installation } from '../ledger/tables/accounting-basis.js';
import { invoice } from './invoice.js';
import { firstDateOf } from './month.js';
import { nextNumber, readStoredInvoice, storeInvoice } from './stored-invoices.js';

/** The month cannot be closed; the message says why. */
export class MonthOpenError extends Error {
  override readonly name = 'MonthOpenError';
}

/**
 * Freezes an advertiser's month and stores its invoice under the next number: what is recorded afterwards is billed in the
 * first later month that is open. Closing it again changes nothing. Which month is over, the ledger's clock has a say in too:
 * under a machine's clock that is ahead, a month that is closed too early could never be opened again.
 *
 * @param installation the ledger's own
 * @param now the machine's time, epoch milliseconds
 * @throws MonthOpenError while the month is not over, by the machine's clock or the ledger's
 */
export function closeMonth(
  database: LedgerDatabase,
  advertiser: string,
  month: number,
  installation: Installation,
  now: number,
): void {
  const end = createCalendar(installation.timeZone).startOf(firstDateOf(monthAfter(month)));
  const mark = readClockMark(database) ?? now;
  if (Math.min(now, mark) < end) {
    const ledgers =
      now < end
        ? ''
        : `, also by the ledger's clock, which goes on while a server runs and is at ${new Date(mark).toISOString()}`;
    throw new MonthOpenError(
      `the month is not over: it can be closed from ${new Date(end).toISOString()} on${ledgers}`,
    );
  }
  const close = (): void => {
    database.run(
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
  database.exclusively(close);
}
