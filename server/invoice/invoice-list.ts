import { decimal } from '../../models/text/money.js';
import { type AccountingBasis, readAccountingBasis } from '../ledger/tables/accounting-basis.js';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { amountsOf } from './amounts.js';
import { type BillingFile, NO_BILLING, partiesOf } from './billing/billing-file.js';
import { invoiceNumber } from './formats.js';
import { type InvoiceMonth, listInvoiceMonths, readInvoiceMonths } from './invoice-months.js';
import { monthText } from '../domain/billing-month.js';
import { readStoredPayables } from './read-invoice.js';

/** Which invoices to list: all months of one advertiser, or all advertisers of one month. */
export interface InvoiceListQuery {
  /** Empty: ads that name none; null: all advertisers of a month. */
  readonly advertiser: string | null;
  /** 202611; null: the preferred month, or the latest if it has no invoice. Not used for an advertiser. */
  readonly month: number | null;
  readonly preferredMonth: number;
  /** A part of the advertisers' names, in any case. */
  readonly part: string;
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

/** An advertiser's month in a list. */
export interface ListedInvoice {
  readonly advertiser: string;
  /** `2026-11` */
  readonly month: string;
  /** As on the invoice, such as `000017`; null: open. */
  readonly number: string | null;
  /** Epoch milliseconds; null: open, and more events may be billed. */
  readonly closedAt: number | null;
  /** With all decimals of the currency; of an open month, as of now. */
  readonly payable: string;
}

/** A page of invoices. */
export interface InvoiceList extends AccountingBasis {
  /** Every month with an invoice, latest first. */
  readonly months: readonly string[];
  /** The month listed; null: an advertiser's months, or there is none. */
  readonly month: string | null;
  readonly rows: readonly ListedInvoice[];
  /** How many invoices were found, and how many of them are closed. */
  readonly found: number;
  readonly closed: number;
}

/**
 * Lists a page of invoices; the last one if there are fewer.
 *
 * @param basis of a ledger that has none yet
 * @param billing what is set now, for open months
 */
export function readInvoiceList(
  database: LedgerDatabase,
  query: InvoiceListQuery,
  basis: AccountingBasis,
  billing: BillingFile = NO_BILLING,
): InvoiceList {
  return database.readConsistently(() => {
    const { currency, timeZone } = readAccountingBasis(database) ?? basis;
    const months = readInvoiceMonths(database);
    const month = query.advertiser === null ? (query.month ?? preferred(months, query)) : null;
    const part = query.part.toLowerCase();
    const found = selected(database, query.advertiser, month).filter(({ advertiser }) =>
      advertiser.toLowerCase().includes(part),
    );
    const page = Math.min(query.page, Math.max(1, Math.ceil(found.length / query.perPage)));
    const shown = found.slice((page - 1) * query.perPage, page * query.perPage);
    return {
      currency,
      timeZone,
      months: months.map(monthText),
      month: month === null ? null : monthText(month),
      rows: toListed(database, shown, currency, billing),
      found: found.length,
      closed: found.filter(({ closedAt }) => closedAt !== null).length,
    };
  });
}

function preferred(months: readonly number[], { preferredMonth }: InvoiceListQuery): number | null {
  return months.includes(preferredMonth) ? preferredMonth : (months[0] ?? null);
}

function selected(database: LedgerDatabase, advertiser: string | null, month: number | null): readonly InvoiceMonth[] {
  if (advertiser !== null) return listInvoiceMonths(database, { advertiser });
  return month === null ? [] : listInvoiceMonths(database, { month });
}

/** A closed invoice's amount is the stored one, however this release would round it. */
function toListed(
  database: LedgerDatabase,
  shown: readonly InvoiceMonth[],
  currency: string,
  billing: BillingFile,
): readonly ListedInvoice[] {
  const stored = readStoredPayables(
    database,
    shown.flatMap(({ number }) => number ?? []),
  );
  return shown.map(({ advertiser, month, number, closedAt, totalMicros }) => {
    const { payableMicros, payableDecimals } = amountsOf(totalMicros, currency, partiesOf(billing, advertiser));
    return {
      advertiser,
      month: monthText(month),
      number: number === null ? null : invoiceNumber(number),
      closedAt,
      payable: stored.get(number ?? 0) ?? decimal(payableMicros, payableDecimals),
    };
  });
}
