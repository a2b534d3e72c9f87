import { stringify } from 'csv-stringify/sync';
import { decimal } from '../../models/text/money.js';
import { createRender } from '../templates/render.js';
import type { CreditLine } from './credit-lines.js';
import { digestOf } from './digest.js';
import type { Invoice, InvoiceLine } from './invoice.js';

export const FORMATS = ['csv', 'html', 'json'] as const;
export type Format = (typeof FORMATS)[number];

/** An invoice in every format. Each says its number, total, what is payable, the currency and whether it is closed. */
export function documentsOf(invoice: Invoice): readonly { readonly format: Format; readonly content: string }[] {
  return FORMATS.map((format) => ({ format, content: WRITERS[format](invoice) }));
}

/** An invoice as one text. */
export function writeInvoice(invoice: Invoice, format: Format): string {
  return WRITERS[format](invoice);
}

const WRITERS: Readonly<Record<Format, (invoice: Invoice) => string>> = { csv: asCsv, html: asHtml, json: asJson };

const LINE = ['campaign', 'creative', 'model', 'events', 'price', 'amount', 'currency', 'late'] as const;
const CREDIT = ['billedIn', 'correction', 'reason'] as const;
const INVOICE = ['number', 'state', 'closedAt', 'total', 'payable'] as const;

/**
 * An invoice as CSV (RFC 4180): a row for each line and credit, so that the column `amount` adds up to the total. What holds
 * for the whole invoice stands in every row; without lines there is one row of it. Safe from formulas.
 */
function asCsv(invoice: Invoice): string {
  const { advertiser, month, currency } = invoice;
  const whole = { advertiser, month, currency, ...summaryOf(invoice) };
  const lines = [...invoice.lines, ...invoice.credits].map(plainLine);
  const rows = (lines.length === 0 ? [{ amount: decimal(0n) }] : lines).map((line) => ({ ...whole, ...line }));
  const columns = ['advertiser', 'month', ...LINE, ...CREDIT, ...INVOICE];
  return stringify(rows, {
    header: true,
    columns,
    escape_formulas: true,
    record_delimiter: 'windows',
    // A negative amount is no formula.
    cast: { string: (value, { column }) => (MONEY.has(column) ? { value, escape_formulas: false } : value) },
  });
}

const MONEY: ReadonlySet<string | number | undefined> = new Set(['price', 'amount', 'total', 'payable']);

/** An invoice as JSON. Money is a string with six decimals, but for what is payable. */
function asJson(invoice: Invoice): string {
  const { advertiser, month, from, to, timeZone, currency, lines, credits } = invoice;
  const { total, payable, ...state } = summaryOf(invoice);
  const head = { ...state, advertiser, month, from, to, timeZone, currency };
  return `${JSON.stringify({ ...head, lines: lines.map(plainLine), credits: credits.map(plainLine), total, payable }, null, 2)}\n`;
}

/** An invoice as one page to print: no script, nothing fetched. Every name is escaped. */
function asHtml(invoice: Invoice): string {
  const { number, closedAt } = invoice;
  return createRender('invoice/views')('invoice', {
    ...invoice,
    ...summaryOf(invoice),
    lines: invoice.lines.map(plainLine),
    credits: invoice.credits.map(plainLine),
    // What is on paper names the stored data.
    digest: number === null || closedAt === null ? null : digestOf(asJson(invoice)),
  });
}

/** `000017` */
export function invoiceNumber(number: number): string {
  return String(number).padStart(6, '0');
}

function summaryOf({ number, closedAt, totalMicros, payableMicros, payableDecimals }: Invoice) {
  return {
    number: number === null ? null : invoiceNumber(number),
    state: closedAt === null ? 'open' : 'closed',
    closedAt,
    total: decimal(totalMicros),
    payable: decimal(payableMicros, payableDecimals),
  };
}

function plainLine({ priceMicros, amountMicros, ...line }: InvoiceLine | CreditLine) {
  return { ...line, price: decimal(priceMicros), amount: decimal(amountMicros) };
}
