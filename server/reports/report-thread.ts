import { Worker } from 'node:worker_threads';
import type { InvoiceList, InvoiceListQuery } from '../invoice/invoice-list.js';
import type { InvoiceText } from '../invoice/read-invoice.js';
import { ReportQueryError } from './period.js';
import type { Report } from './report.js';
import type { ReportQuery } from './report-query.js';
import type { InvoiceQuery, Made, ReportAnswer, ReportSettings, ReportTask } from './report-worker.js';

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
  /** Lists invoices, without closing any month. @throws like `report` */
  invoices(query: InvoiceListQuery): Promise<InvoiceList>;
  /** Reads an invoice: the stored text if its month is closed. @throws like `report` */
  invoice(query: InvoiceQuery): Promise<InvoiceText>;
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

interface PendingReply {
  resolve(made: Made): void;
  reject(error: Error): void;
}

/** Creates a thread that starts with the first query. A server must have opened the ledger for writing before. */
export function createReportThread(settings: ReportSettings): ReportThread {
  let worker: Worker | undefined;
  let waiting: PendingReply[] = [];

  const start = (): Worker => {
    const started = new Worker(new URL('./report-worker.js', import.meta.url), { workerData: settings });
    let death = new Error('the report thread ended');
    started.unref();
    started.on('message', (answer: ReportAnswer) => {
      const waiter = waiting.shift();
      if ('made' in answer) waiter?.resolve(answer.made);
      else waiter?.reject(errorOf(answer));
    });
    started.on('error', (error: Error) => (death = error));
    started.on('exit', () => {
      worker = undefined;
      const unanswered = waiting;
      waiting = [];
      for (const waiter of unanswered) waiter.reject(death);
    });
    return started;
  };

  const perform = (task: ReportTask): Promise<Made> =>
    new Promise((resolve, reject) => {
      if (waiting.length >= MAX_PENDING) return reject(new ReportsBusyError('too many reports at once'));
      worker ??= start();
      waiting.push({ resolve, reject });
      worker.postMessage(task);
    });

  return {
    report: (query) => perform({ query, as: 'report', sort: null }) as Promise<Report>,
    csv: (query, sort) => perform({ query, as: 'csv', sort: sort ?? null }) as Promise<Uint8Array>,
    json: (query) => perform({ query, as: 'json', sort: null }) as Promise<Uint8Array>,
    invoices: (query) => perform({ invoices: query }) as Promise<InvoiceList>,
    invoice: (query) => perform({ invoice: query }) as Promise<InvoiceText>,
    async close() {
      await worker?.terminate();
    },
  };
}

function errorOf(answer: Exclude<ReportAnswer, { readonly made: Made }>): Error {
  if ('refused' in answer) return new ReportQueryError(answer.refused);
  const { failed, code, mayPass } = answer;
  if (code === CANCELLED) return new ReportTimeoutError(failed);
  return mayPass ? new ReportsUnavailableError(failed, code) : Object.assign(new Error(failed), { code });
}
