import { Worker } from 'node:worker_threads';
import { ThreadRequests } from '../../platform/threads/requests.js';
import type { BillingFile, Parties } from '../invoice/billing/billing-file.js';
import type { InvoiceList, InvoiceListQuery } from '../invoice/invoice-list.js';
import type { IssuedInvoice } from '../invoice/issued-invoices.js';
import type { InvoiceText } from '../invoice/read-invoice.js';
import { ReportQueryError } from './period.js';
import type { Report } from './report.js';
import type { ReportQuery } from './report-query.js';
import type {
  InvoiceQuery,
  OwnPage,
  OwnPageQuery,
  OwnTextQuery,
  ReportFailure,
  ReportSettings,
  ReportTasks,
} from './report-worker.js';

/** Makes reports, and reads invoices, in a thread with its own connection, so that no match request waits for one. */
export interface ReportThread {
  /**
   * @throws ReportQueryError for an invalid query
   * @throws ReportsBusyError when too many reports are pending
   * @throws ReportsUnavailableError when the ledger cannot be reached or is locked; the next query tries again
   * @throws ReportTimeoutError when the database cancels the query, which takes too long
   * @throws Error when it cannot be read for another reason
   */
  report(query: ReportQuery): Promise<Report>;
  /** Returns a report as CSV in UTF-8. @param sort the order of its rows, as for `readOrder` @throws like `report` */
  csv(query: ReportQuery, sort?: string): Promise<Uint8Array>;
  /** Returns a report as JSON in UTF-8. @throws like `report` */
  json(query: ReportQuery): Promise<Uint8Array>;
  /** Lists invoices, without closing any month. @param billing for open months @throws like `report` */
  invoices(query: InvoiceListQuery, billing: BillingFile): Promise<InvoiceList>;
  /** Reads an invoice: the stored text if its month is closed. @param parties if it is open @throws like `report` */
  invoice(query: InvoiceQuery, parties: Parties): Promise<InvoiceText>;
  /** Returns a page of a party's own report. @throws like `report` */
  ownPage(query: OwnPageQuery): Promise<OwnPage>;
  /** Returns a party's own report as text in UTF-8. @throws like `report` */
  ownText(query: OwnTextQuery): Promise<Uint8Array>;
  /** Lists an advertiser's stored invoices, latest first. @throws like `report` */
  issuedInvoices(advertiser: string): Promise<readonly IssuedInvoice[]>;
  /** Reads a stored invoice; null: there is none. @throws like `report` */
  issuedInvoice(query: InvoiceQuery): Promise<string | null>;
  close(): Promise<void>;
}

/** Too many reports are pending. */
export class ReportsBusyError extends Error {
  override readonly name = 'ReportsBusyError';
}

/** The ledger cannot be reached at the moment, or is locked: the same query may succeed later. */
export class ReportsUnavailableError extends Error {
  override readonly name = 'ReportsUnavailableError';
  readonly retryAfterSeconds = 5;
  constructor(
    message: string,
    /** SQLSTATE, or a code of SQLite or the operating system; empty: none. */
    readonly code: string,
  ) {
    super(message);
  }
}

/** The database has cancelled the query, because it took longer than its limit or by an administrator's order. */
export class ReportTimeoutError extends Error {
  override readonly name = 'ReportTimeoutError';
  readonly retryAfterSeconds = 60;
  readonly code = CANCELLED;
}

/** SQLSTATE of a cancelled statement. */
const CANCELLED = '57014';

const MAX_PENDING = 64;

type Thread = ThreadRequests<ReportTasks, void, ReportFailure>;

/** Creates a thread that starts with the first query. A server must have opened the ledger for writing before. */
export function createReportThread(settings: ReportSettings): ReportThread {
  let thread: Thread | undefined;

  const start = (): Thread => {
    const worker = new Worker(new URL('./report-worker.js', import.meta.url), { workerData: settings });
    worker.unref();
    return new ThreadRequests(worker, { ended: 'the report thread ended', errorOf });
  };
  const running = (): Thread => {
    if (thread === undefined || thread.hasEnded) thread = start();
    if (thread.pending >= MAX_PENDING) throw new ReportsBusyError('too many reports at once');
    return thread;
  };

  return {
    report: async (query) => running().ask('report', query),
    csv: async (query, sort) => running().ask('csv', { query, sort: sort ?? null }),
    json: async (query) => running().ask('json', query),
    invoices: async (query, billing) => running().ask('invoices', { query, billing }),
    invoice: async (query, parties) => running().ask('invoice', { query, parties }),
    ownPage: async (query) => running().ask('ownPage', query),
    ownText: async (query) => running().ask('ownText', query),
    issuedInvoices: async (advertiser) => running().ask('issuedInvoices', advertiser),
    issuedInvoice: async (query) => running().ask('issuedInvoice', query),
    async close() {
      await thread?.worker.terminate();
    },
  };
}

function errorOf(failure: ReportFailure): Error {
  if ('refused' in failure) return new ReportQueryError(failure.refused);
  const { failed, code, mayPass } = failure;
  if (code === CANCELLED) return new ReportTimeoutError(failed);
  return mayPass ? new ReportsUnavailableError(failed, code) : Object.assign(new Error(failed), { code });
}
