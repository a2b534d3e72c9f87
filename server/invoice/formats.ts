import { stringify } from 'csv-stringify/sync';
import { decimal } from '../domain/money.js';
import { createRender } from '../templates/render.js';
import type { Invoice } from './invoice.js';

const COLUMNS = [
  'advertiser',
  'month',
  'campaign',
  'creative',
  'model',
  'events',
  'price',
  'amount',
  'currency',
  'late',
];

/** An invoice as CSV (RFC 4180), a row for each line and none for the total, so that the column adds up. Safe from formulas. */
export function asCsv({ advertiser, month, currency, lines }: Invoice): string {
  const rows = lines.map(({ priceMicros, amountMicros, ...line }) => ({
    advertiser,
    month,
    currency,
    ...line,
    price: decimal(priceMicros),
    amount: decimal(amountMicros),
  }));
  return stringify(rows, { header: true, columns: COLUMNS, escape_formulas: true, record_delimiter: 'windows' });
}

/** An invoice as one page to print: no script, nothing fetched. Every name is escaped. */
export function asHtml(invoice: Invoice): string {
  return createRender('invoice/views')('invoice', { ...invoice, money: (micros: bigint) => decimal(micros) });
}
