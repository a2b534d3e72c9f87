import { isDeepStrictEqual } from 'node:util';
import { printable } from '../../platform/text/printable.js';
import { sha256 } from '../../platform/text/sha256.js';
import { type LedgerDatabase, queries } from '../ledger/tables/ledger-database.js';
import type { AccountingBasis } from '../ledger/tables/accounting-basis.js';
import { FORMATS, invoiceNumber, writeInvoice } from './formats.js';
import { invoice } from './invoice.js';
import { monthText } from '../domain/billing-month.js';
import { areAmountsOf, type WrittenAmounts } from './amounts.js';

/**
 * Compares every stored invoice with its digest and with what the ledger has billed and credited, as of one moment.
 * Changes nothing.
 *
 * @returns one sentence per difference; empty when everything agrees
 */
export function checkInvoices(database: LedgerDatabase, basis: AccountingBasis): string[] {
  return database.readConsistently(() => [
    ...checkNumbers(database),
    ...checkMonths(database),
    ...checkFormats(database),
    ...checkDocuments(database, basis),
  ]);
}

/** Checks that numbers have no gaps and belong to closed months. */
function checkNumbers(database: LedgerDatabase): string[] {
  const rows = database.readAsNumbers(
    queries
      .selectFrom('invoices')
      .leftJoin('closed_months', (join) =>
        join
          .onRef('closed_months.advertiser', '=', 'invoices.advertiser')
          .onRef('closed_months.month', '=', 'invoices.month'),
      )
      .select(['number', 'closed_at'])
      .orderBy('number'),
  );
  let last = 0;
  return rows.flatMap(({ number, closed_at: closedAt }) => {
    const missing = number - last - 1;
    last = number;
    return [
      ...(missing === 0
        ? []
        : [`invoices: ${missing} before ${invoiceNumber(number)} ${missing === 1 ? 'is' : 'are'} missing`]),
      ...(closedAt === null ? [`invoice ${invoiceNumber(number)}: its month is not closed`] : []),
    ];
  });
}

/** Checks that every closed month has its invoice. */
function checkMonths(database: LedgerDatabase): string[] {
  const without = queries
    .selectFrom('closed_months')
    .leftJoin('invoices', (join) =>
      join
        .onRef('invoices.advertiser', '=', 'closed_months.advertiser')
        .onRef('invoices.month', '=', 'closed_months.month'),
    )
    .where('number', 'is', null)
    .select(['closed_months.advertiser', 'closed_months.month'])
    .orderBy('closed_months.month')
    .orderBy('closed_months.advertiser');
  return database
    .readAsNumbers(without)
    .map(({ advertiser, month }) => `invoice of "${printable(advertiser)}" for ${monthText(month)}: it is missing`);
}

/** Checks that every invoice is stored in every format. */
function checkFormats(database: LedgerDatabase): string[] {
  const stored = queries
    .selectFrom('invoices')
    .leftJoin('invoice_documents', 'invoice_documents.number', 'invoices.number')
    .select(['invoices.number', 'format'])
    .orderBy('invoices.number');
  const formats = new Map<number, (string | null)[]>();
  for (const { number, format } of database.readAsNumbers(stored))
    formats.set(number, [...(formats.get(number) ?? []), format]);
  return [...formats].flatMap(([number, found]) => {
    const missing = FORMATS.filter((format) => !found.includes(format));
    return missing.length === 0
      ? []
      : [`invoice ${invoiceNumber(number)}: its stored ${missing.join(', ')} is missing`];
  });
}

function checkDocuments(database: LedgerDatabase, basis: AccountingBasis): string[] {
  const documents = queries
    .selectFrom('invoice_documents')
    .innerJoin('invoices', 'invoices.number', 'invoice_documents.number')
    .select(['invoices.number', 'advertiser', 'month', 'format', 'content', 'digest'])
    .orderBy('invoices.number');
  return database.readAsNumbers(documents).flatMap(({ number, advertiser, month, format, content, digest }) => {
    const name = `invoice ${invoiceNumber(number)} of "${printable(advertiser)}"`;
    if (sha256(content) !== digest) return [`${name}: the stored ${format} is not what was stored`];
    if (format !== 'json') return [];
    const stored = partsOf(content);
    const today = invoice(database, advertiser, month, basis);
    const billed = partsOf(writeInvoice(today, 'json'));
    const isSame = (part: (typeof PARTS)[number]): boolean =>
      part === 'payable' ? areAmountsOf(stored, today.totalMicros) : isDeepStrictEqual(stored[part], billed[part]);
    const wrong = PARTS.filter((part) => !isSame(part));
    return wrong.map((part) => `${name}: ${part} differs from what the ledger has billed`);
  });
}

const PARTS = ['lines', 'credits', 'total', 'payable', 'currency'] as const;

function partsOf(content: string): Partial<Record<(typeof PARTS)[number], unknown>> & WrittenAmounts {
  return JSON.parse(content) as WrittenAmounts;
}
