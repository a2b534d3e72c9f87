import type { Database } from 'better-sqlite3';
import { queries, readSmall, run } from '../ledger/database.js';
import { digestOf } from './digest.js';
import { documentsOf, type Format } from './formats.js';
import type { Invoice } from './invoice.js';
import { firstDateOf } from './month.js';

/**
 * Stores a closed invoice in every format, as it is sent from now on: a later release may write another page, and this one
 * stays. Within the caller's transaction.
 *
 * @param month 202611
 */
export function storeInvoice(database: Database, closed: Invoice & { readonly number: number }, month: number): void {
  const { number, advertiser } = closed;
  run(database, queries.insertInto('invoices').values({ number, advertiser, month }));
  const rows = documentsOf(closed).map(({ format, content }) => ({
    number,
    format,
    content,
    digest: digestOf(content),
  }));
  run(database, queries.insertInto('invoice_documents').values(rows));
}

/** The number that the next invoice gets: one more than the last. */
export function nextNumber(database: Database): number {
  const last = queries.selectFrom('invoices').select(({ fn }) => fn.max('number').as('number'));
  return (readSmall(database, last)[0]?.number ?? 0) + 1;
}

/** The stored text of a closed invoice; undefined while its month is open, or where an earlier release has closed it. */
export function readStoredInvoice(
  database: Database,
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
  return run(database, query)[0]?.content;
}

/** Which invoice a document is. */
export interface KnownDocument {
  readonly number: number;
  readonly advertiser: string;
  /** `2026-11` */
  readonly month: string;
  readonly format: Format;
}

/** The stored invoice that a document is, byte for byte; undefined for one that was changed, or never stored. */
export function findDocument(database: Database, document: Buffer): KnownDocument | undefined {
  const query = queries
    .selectFrom('invoice_documents')
    .innerJoin('invoices', 'invoices.number', 'invoice_documents.number')
    .where('digest', '=', digestOf(document))
    .select(['invoices.number', 'advertiser', 'month', 'format', 'content']);
  const [found] = readSmall(database, query);
  if (found === undefined || !document.equals(Buffer.from(found.content))) return undefined;
  const { number, advertiser, month, format } = found;
  return { number, advertiser, month: firstDateOf(month).slice(0, 7), format };
}
