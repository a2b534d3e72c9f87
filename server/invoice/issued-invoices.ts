import { type LedgerDatabase, queries } from '../ledger/tables/ledger-database.js';
import { invoiceNumber } from './formats.js';
import { monthText } from '../domain/billing-month.js';
import { readStoredPayables } from './read-invoice.js';

/** An invoice that was numbered and stored when its month was closed. */
export interface IssuedInvoice {
  /** `2026-11` */
  readonly month: string;
  /** `000017` */
  readonly number: string;
  /** Epoch milliseconds. */
  readonly closedAt: number;
  /** With all decimals of the currency; negative: owed to the advertiser. */
  readonly payable: string;
}

/** Lists an advertiser's issued invoices, latest first, without adding up what open months have billed. */
export function readIssuedInvoices(database: LedgerDatabase, advertiser: string): IssuedInvoice[] {
  const issued = queries
    .selectFrom('invoices')
    .innerJoin('closed_months', (join) =>
      join
        .onRef('closed_months.advertiser', '=', 'invoices.advertiser')
        .onRef('closed_months.month', '=', 'invoices.month'),
    )
    .where('invoices.advertiser', '=', advertiser)
    .select(['number', 'invoices.month', 'closed_at as closedAt'])
    .orderBy('invoices.month', 'desc');
  return database.readConsistently(() => {
    const rows = database.readAsNumbers(issued);
    const payables = readStoredPayables(
      database,
      rows.map(({ number }) => number),
    );
    return rows.map(({ number, month, closedAt }) => ({
      month: monthText(month),
      number: invoiceNumber(number),
      closedAt,
      payable: payables.get(number) ?? '',
    }));
  });
}
