import type { AccountingBasis } from '../ledger/tables/accounting-basis.js';
import { type LedgerDatabase, queries } from '../ledger/tables/ledger-database.js';
import type { Parties } from './billing/billing-file.js';
import { type Format, writeInvoice } from './formats.js';
import { invoice } from './invoice.js';
import { readStoredInvoice } from './stored-invoices.js';

/** The text of an invoice in one format. */
export interface InvoiceText {
  readonly text: string;
  /** Whether its month is closed; then it is the stored text, which never changes. */
  readonly isClosed: boolean;
  /** Whether it has neither lines nor credits, and its month is open: nothing was billed. */
  readonly isNothing: boolean;
}

/**
 * Reads an invoice as of one moment: the stored text once its month is closed, else computed as of now.
 *
 * @param month 202611
 * @param basis the currency and time zone of a ledger that has none yet
 * @param parties what an open month's invoice says of seller and buyer
 */
export function readInvoice(
  database: LedgerDatabase,
  advertiser: string,
  month: number,
  format: Format,
  basis: AccountingBasis,
  parties: Parties,
): InvoiceText {
  return database.readConsistently(() => {
    const text = readStoredInvoice(database, advertiser, month, format);
    if (text !== undefined) return { text, isClosed: true, isNothing: false };
    const whole = invoice(database, advertiser, month, basis, parties);
    const isNothing = whole.lines.length + whole.credits.length === 0;
    return { text: writeInvoice(whole, format), isClosed: false, isNothing };
  });
}

/** Returns the payable amounts of stored invoices by number, as text: with all decimals of the currency. */
export function readStoredPayables(database: LedgerDatabase, numbers: readonly number[]): ReadonlyMap<number, string> {
  if (numbers.length === 0) return new Map();
  const documents = queries
    .selectFrom('invoice_documents')
    .where('number', 'in', numbers)
    .where('format', '=', 'json')
    .select(['number', 'content']);
  return new Map(
    database
      .readAsNumbers(documents)
      .map(({ number, content }) => [number, (JSON.parse(content) as { payable: string }).payable]),
  );
}
