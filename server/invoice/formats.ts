import { csvOf } from '../../platform/text/csv.js';
import { sha256 } from '../../platform/text/sha256.js';
import { decimal } from '../../models/text/money.js';
import { createRender } from '../templates/render.js';
import type { CreditLine } from './credit-lines.js';
import { detailColumns, detailsOf } from './details.js';
import type { Invoice, InvoiceLine } from './invoice.js';

export const FORMATS = ['csv', 'html', 'json'] as const;
export type Format = (typeof FORMATS)[number];

/**
 * Writes an invoice in every format. Each has its number, total, payable amount, currency, and whether it is closed.
 */
export function documentsOf(invoice: Invoice): readonly { readonly format: Format; readonly content: string }[] {
  return FORMATS.map((format) => ({ format, content: WRITERS[format](invoice) }));
}

/** Writes an invoice in one format. */
export function writeInvoice(invoice: Invoice, format: Format): string {
  return WRITERS[format](invoice);
}

const WRITERS: Readonly<Record<Format, (invoice: Invoice) => string>> = { csv: asCsv, html: asHtml, json: asJson };

const LINE = ['campaign', 'creative', 'model', 'events', 'price', 'amount', 'currency', 'late'] as const;
const CREDIT = ['billedIn', 'correction', 'reason'] as const;
const INVOICE = ['number', 'state', 'closedAt', 'total', 'payable'] as const;

/**
 * Writes an invoice as CSV (RFC 4180): one row per line and credit, so that the column `amount` adds up to the total.
 * Every row repeats the fields of the whole invoice; without lines there is one row with only those. Billing details
 * add columns, if any are set. Formulas are escaped.
 */
function asCsv(invoice: Invoice): string {
  const { advertiser, month, currency } = invoice;
  const details = detailsOf(invoice);
  const more = details === null ? {} : detailColumns(details);
  const whole = { advertiser, month, currency, ...summaryOf(invoice), ...more };
  const lines = [...invoice.lines, ...invoice.credits].map(plainLine);
  const rows = (lines.length === 0 ? [{ amount: decimal(0n) }] : lines).map((line) => ({ ...whole, ...line }));
  const columns = ['advertiser', 'month', ...LINE, ...CREDIT, ...INVOICE, ...Object.keys(more)];
  return csvOf(rows, columns, MONEY);
}

const MONEY: ReadonlySet<string> = new Set(['price', 'amount', 'total', 'net', 'tax', 'payable']);

/** Writes an invoice as JSON. Money is a string with six decimals, except net, tax and payable. */
function asJson(invoice: Invoice): string {
  const { advertiser, month, from, to, timeZone, currency, lines, credits } = invoice;
  const { total, payable, ...state } = summaryOf(invoice);
  const { net, tax, ...parties } = detailsOf(invoice) ?? {};
  const head = { ...state, advertiser, month, from, to, timeZone, currency, ...parties };
  const rows = { lines: lines.map(plainLine), credits: credits.map(plainLine) };
  return `${JSON.stringify({ ...head, ...rows, total, net, tax, payable }, null, 2)}\n`;
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Writes an invoice as an HTML page to print, without scripts or external resources. Every name is escaped. */
function asHtml(invoice: Invoice): string {
  const { number, closedAt, month } = invoice;
  const [year = 0, place = 1] = month.split('-').map(Number);
  return createRender('invoice/views')('invoice', {
    ...invoice,
    ...summaryOf(invoice),
    // As people write them; the JSON has the moments.
    firstDay: DAY.format(Date.UTC(year, place - 1, 1)),
    lastDay: DAY.format(Date.UTC(year, place, 0)),
    dayOf: (date: string) => DAY.format(new Date(date)),
    details: detailsOf(invoice),
    lines: invoice.lines.map(plainLine),
    credits: invoice.credits.map(plainLine),
    // The printed page identifies the stored JSON by its digest.
    digest: number === null || closedAt === null ? null : sha256(asJson(invoice)),
  });
}

/** Formats an invoice's number, such as `000017`. */
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
