import { parentPort, workerData } from 'node:worker_threads';
import { isDatabaseUnreachable } from '../../platform/cluster/database-unreachable.js';
import { answerRequests } from '../../platform/threads/answer.js';
import type { BillingFile, Parties } from '../invoice/billing/billing-file.js';
import type { Format } from '../invoice/formats.js';
import { type InvoiceList, type InvoiceListQuery, readInvoiceList } from '../invoice/invoice-list.js';
import { type IssuedInvoice, readIssuedInvoices } from '../invoice/issued-invoices.js';
import { type InvoiceText, readInvoice } from '../invoice/read-invoice.js';
import { readStoredInvoice } from '../invoice/stored-invoices.js';
import { openForReading, type LedgerLocation } from '../ledger/database.js';
import { PostgresError } from '../ledger/postgres/postgres-connection.js';
import type { AccountingBasis } from '../ledger/tables/accounting-basis.js';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { asCsv, asJson } from './formats.js';
import { orderedRows, readOrder } from './order.js';
import { ownCsv, ownJson } from './own-formats.js';
import { type OwnQuery, type OwnReport, ownReport } from './own-report.js';
import { ReportQueryError } from './period.js';
import { type Report, report } from './report.js';
import { type ReportQuery, requireStorable } from './report-query.js';

/** The thread's `workerData`. */
export interface ReportSettings extends AccountingBasis {
  readonly location: LedgerLocation;
}

/**
 * Makes a report: its rows and sums, or its text as UTF-8, in which form nothing has to be copied or formatted. Lists
 * invoices, or reads one.
 */
export interface ReportTasks {
  report(query: ReportQuery): Report;
  /** `sort`: the order of the rows, in the form of `readOrder`; null: the report's. */
  csv(task: { readonly query: ReportQuery; readonly sort: string | null }): Uint8Array<ArrayBuffer>;
  json(query: ReportQuery): Uint8Array<ArrayBuffer>;
  /** With the billing details that open months' invoices have. */
  invoices(task: { readonly query: InvoiceListQuery; readonly billing: BillingFile }): InvoiceList;
  invoice(task: { readonly query: InvoiceQuery; readonly parties: Parties }): InvoiceText;
  /** A party's own report: a page of its rows, or its text. */
  ownPage(task: OwnPageQuery): OwnPage;
  ownText(task: OwnTextQuery): Uint8Array<ArrayBuffer>;
  /** Lists an advertiser's stored invoices, or reads the text of one; null: there is none. */
  issuedInvoices(advertiser: string): readonly IssuedInvoice[];
  issuedInvoice(query: InvoiceQuery): string | null;
}

export interface OwnPageQuery {
  readonly query: OwnQuery;
  /** From 1; the last one if there are fewer. */
  readonly page: number;
  readonly perPage: number;
}

export interface OwnTextQuery {
  readonly query: OwnQuery;
  readonly format: 'csv' | 'json';
}

/** A page of a party's report. */
export interface OwnPage extends OwnReport {
  /** How many rows there are on all pages. */
  readonly found: number;
}

export interface InvoiceQuery {
  /** Empty: ads that name none. */
  readonly advertiser: string;
  /** 202611 */
  readonly month: number;
  readonly format: Format;
}

/** Why a report could not be made: the query is refused, or the ledger could not be read. */
export type ReportFailure =
  | { readonly refused: string }
  | {
      readonly failed: string;
      /** SQLSTATE, or a code of SQLite or the operating system; empty: none. */
      readonly code: string;
      /** Whether the same query may succeed later: the ledger cannot be reached, or is locked. */
      readonly mayPass: boolean;
    };

const settings = workerData as ReportSettings;
let database: LedgerDatabase | undefined;
// Not `Buffer.from`, whose bytes may be part of a larger buffer, which cannot be transferred.
const utf8 = new TextEncoder();

answerRequests<ReportTasks, ReportFailure>(
  parentPort!,
  {
    report: makeReport,
    csv({ query, sort }) {
      const made = makeReport(query);
      const rows = sort === null ? made.rows : orderedRows(made, readOrder(sort, made.by));
      return utf8.encode(asCsv({ ...made, rows }));
    },
    json: (query) => utf8.encode(JSON.stringify(asJson(makeReport(query)))),
    invoices({ query, billing }) {
      requireStorable([query.advertiser ?? '']);
      return read((ledger) => readInvoiceList(ledger, query, settings, billing));
    },
    invoice({ query: { advertiser, month, format }, parties }) {
      requireStorable([advertiser]);
      return read((ledger) => readInvoice(ledger, advertiser, month, format, settings, parties));
    },
    ownPage({ query, page, perPage }) {
      const made = makeOwnReport(query);
      const found = made.rows.length;
      const last = Math.max(1, Math.ceil(found / perPage));
      const end = Math.min(page, last) * perPage;
      return { ...made, rows: made.rows.slice(end - perPage, end), found };
    },
    ownText({ query, format }) {
      const made = makeOwnReport(query);
      return utf8.encode(format === 'csv' ? ownCsv(made) : JSON.stringify(ownJson(made)));
    },
    issuedInvoices: (advertiser) => read((ledger) => readIssuedInvoices(ledger, advertiser)),
    issuedInvoice({ advertiser, month, format }) {
      requireStorable([advertiser]);
      return read((ledger) => readStoredInvoice(ledger, advertiser, month, format) ?? null);
    },
  },
  { failureOf, transfer: (made) => (made instanceof Uint8Array ? [made.buffer] : []) },
);

function makeReport(query: ReportQuery): Report {
  return read((ledger) => report(ledger, query, settings));
}

function makeOwnReport(query: OwnQuery): OwnReport {
  return read((ledger) => ownReport(ledger, query, settings));
}

/** Reads from the ledger, twice if that is worth it. @throws ReportQueryError, or an error of the store */
function read<T>(from: (ledger: LedgerDatabase) => T): T {
  const wasOpen = database !== undefined;
  try {
    return readOnce(from);
  } catch (error) {
    if (!isWorthRetrying(error, wasOpen)) throw error;
    return readOnce(from);
  }
}

/** @throws ReportQueryError, or an error of the store, after which the next query opens it again */
function readOnce<T>(from: (ledger: LedgerDatabase) => T): T {
  try {
    database ??= openForReading(settings.location, true);
    return from(database);
  } catch (error) {
    if (error instanceof ReportQueryError) throw error;
    database?.close();
    database = undefined;
    throw error;
  }
}

function failureOf(error: unknown): ReportFailure {
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
