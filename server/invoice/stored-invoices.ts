import { type LedgerDatabase, queries } from '../ledger/tables/ledger-database.js';
import { sha256 } from '../../platform/text/sha256.js';
import { documentsOf, type Format } from './formats.js';
import type { Invoice } from './invoice.js';
import { monthText } from '../domain/billing-month.js';

/**
 * Stores a closed invoice in every format, within the caller's transaction. These documents are sent from then on, even
 * if a later release would write them differently.
 *
 * @param month 202611
 */
export function storeInvoice(
  database: LedgerDatabase,
  closed: Invoice & { readonly number: number },
  month: number,
): void {
  const { number, advertiser } = closed;
  database.run(queries.insertInto('invoices').values({ number, advertiser, month }));
  const rows = documentsOf(closed).map(({ format, content }) => ({
    number,
    format,
    content,
    digest: sha256(content),
  }));
  database.run(queries.insertInto('invoice_documents').values(rows));
}

/** Returns the next invoice's number: one more than the last. */
export function nextNumber(database: LedgerDatabase): number {
  const last = queries.selectFrom('invoices').select(({ fn }) => fn.max('number').as('number'));
  return (database.readAsNumbers(last)[0]?.number ?? 0) + 1;
}

/** Returns a closed invoice's stored text; undefined while its month is open. */
export function readStoredInvoice(
  database: LedgerDatabase,
  advertiser: string,
  month: number,
  format: Format,
): string | undefined {
  const query = queries
    .selectFrom('invoices')
    .innerJoin('invoice_documents', 'invoice_documents.number', 'invoices.number')
    .where('advertiser', '=', advertiser)
    .where('month', '=', month)
    .where('format', '=', format)
    .select('content');
  return database.run(query)[0]?.content;
}

/** The invoice and format of a document. */
export interface KnownDocument {
  readonly number: number;
  readonly advertiser: string;
  /** `2026-11` */
  readonly month: string;
  readonly format: Format;
}

/** Finds the stored invoice that equals a document byte for byte; undefined if it was changed, or never stored. */
export function findDocument(database: LedgerDatabase, document: Buffer): KnownDocument | undefined {
  const query = queries
    .selectFrom('invoice_documents')
    .innerJoin('invoices', 'invoices.number', 'invoice_documents.number')
    .where('digest', '=', sha256(document))
    .select(['invoices.number', 'advertiser', 'month', 'format', 'content']);
  const [found] = database.readAsNumbers(query);
  if (found === undefined || !document.equals(Buffer.from(found.content))) return undefined;
  const { number, advertiser, month, format } = found;
  return { number, advertiser, month: monthText(month), format };
}
