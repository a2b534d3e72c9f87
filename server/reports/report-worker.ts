import { parentPort, workerData } from 'node:worker_threads';
import { isDatabaseUnreachable } from '../../platform/cluster/database-unreachable.js';
import type { Format } from '../invoice/formats.js';
import { type InvoiceList, type InvoiceListQuery, readInvoiceList } from '../invoice/invoice-list.js';
import { type InvoiceText, readInvoice } from '../invoice/read-invoice.js';
import { openForReading, type LedgerLocation } from '../ledger/database.js';
import { PostgresError } from '../ledger/postgres/postgres-connection.js';
import type { AccountingBasis } from '../ledger/tables/accounting-basis.js';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { asCsv, asJson } from './formats.js';
import { orderedRows, readOrder } from './order.js';
import { ReportQueryError } from './period.js';
import { type Report, report } from './report.js';
import type { ReportQuery } from './report-query.js';

/** The thread's `workerData`. */
export interface ReportSettings extends AccountingBasis {
  readonly location: LedgerLocation;
}

/** What the thread does: a report, a list of invoices, or an invoice. */
export type ReportTask = ReportToMake | { readonly invoices: InvoiceListQuery } | { readonly invoice: InvoiceQuery };

/** A report to make: its rows and sums, or its text as UTF-8, in which form nothing has to be copied or formatted. */
export interface ReportToMake {
  readonly query: ReportQuery;
  readonly as: 'report' | 'csv' | 'json';
  /** The order of a CSV's rows, in the form of `readOrder`; null: the report's. */
  readonly sort: string | null;
}

export interface InvoiceQuery {
  /** Empty: ads that name none. */
  readonly advertiser: string;
  /** 202611 */
  readonly month: number;
  readonly format: Format;
}

/** What the tasks result in. */
export type Made = Report | Uint8Array<ArrayBuffer> | InvoiceList | InvoiceText;

/** The thread's answer to a task. Answers come in the order of the tasks. */
export type ReportAnswer =
  | { readonly made: Made }
  | { readonly refused: string }
  | {
      readonly failed: string;
      /** SQLSTATE, or a code of SQLite or the operating system; empty: none. */
      readonly code: string;
      /** Whether the same query may succeed later: the ledger cannot be reached, or is locked. */
      readonly mayPass: boolean;
    };

const settings = workerData as ReportSettings;
const port = parentPort!;
let database: LedgerDatabase | undefined;

port.on('message', (task: ReportTask) => {
  const answer = answerTo(task);
  port.postMessage(answer, 'made' in answer && answer.made instanceof Uint8Array ? [answer.made.buffer] : []);
});

function answerTo(task: ReportTask): ReportAnswer {
  const wasOpen = database !== undefined;
  try {
    return { made: perform(task) };
  } catch (error) {
    if (!isWorthRetrying(error, wasOpen)) return failure(error);
  }
  try {
    return { made: perform(task) };
  } catch (error) {
    return failure(error);
  }
}

/** @throws ReportQueryError, or an error of the store, after which the next query opens it again */
function perform(task: ReportTask): Made {
  try {
    database ??= openForReading(settings.location, true);
    if ('invoices' in task) return readInvoiceList(database, task.invoices, settings);
    if (!('invoice' in task)) return makeReport(database, task);
    const { advertiser, month, format } = task.invoice;
    return readInvoice(database, advertiser, month, format, settings);
  } catch (error) {
    if (error instanceof ReportQueryError) throw error;
    database?.close();
    database = undefined;
    throw error;
  }
}

function makeReport(ledger: LedgerDatabase, { query, as, sort }: ReportToMake): Report | Uint8Array<ArrayBuffer> {
  const done = report(ledger, query, settings);
  if (as === 'report') return done;
  const rows = sort === null ? done.rows : orderedRows(done, readOrder(sort, done.by));
  const text = as === 'json' ? JSON.stringify(asJson(done)) : asCsv({ ...done, rows });
  // Not `Buffer.from`, whose bytes may be part of a larger buffer, which cannot be transferred.
  return new TextEncoder().encode(text);
}

function failure(error: unknown): ReportAnswer {
  const { message } = error as Error;
  if (error instanceof ReportQueryError) return { refused: message };
  const cause = causeOf(error);
  const code = codeOf(cause);
  return { failed: message, code, mayPass: isDatabaseUnreachable(cause) || PASSES.test(code) };
}

/** No resources, a lock, a conflict with what a replica has to apply. */
const PASSES = /^(53...|55P03|40001|SQLITE_(BUSY|LOCKED).*)$/;

/**
 * Whether a second try may succeed at once: after a conflict, or if the connection was lost since the last report, as
 * in a restart of the database. Not after a wait for an answer, which would be as long again.
 */
function isWorthRetrying(error: unknown, wasOpen: boolean): boolean {
  const cause = causeOf(error);
  const code = codeOf(cause);
  return code === '40001' || (wasOpen && cause instanceof PostgresError && cause.lost && code !== 'ETIMEDOUT');
}

/** Returns the store's own error: a ledger that cannot be opened is refused because of it. */
function causeOf(error: unknown): unknown {
  const { cause } = error as Error;
  return cause instanceof PostgresError ? cause : error;
}

function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? '';
}
