import { parentPort, workerData } from 'node:worker_threads';
import { openForReading, type LedgerLocation } from '../ledger/database.js';
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

/** A report to make: its rows and sums, or its text as UTF-8, in which form nothing has to be copied or formatted. */
export interface ReportTask {
  readonly query: ReportQuery;
  readonly as: 'report' | 'csv' | 'json';
  /** The order of a CSV's rows, in the form of `readOrder`; null: the report's. */
  readonly sort: string | null;
}

/** The thread's answer to a task. Answers come in the order of the tasks. */
export type ReportAnswer =
  | { readonly report: Report }
  | { readonly text: Uint8Array<ArrayBuffer> }
  | { readonly refused: string }
  | { readonly failed: string };

const settings = workerData as ReportSettings;
const port = parentPort!;
let database: LedgerDatabase | undefined;

port.on('message', (task: ReportTask) => {
  const answer = answerTo(task);
  port.postMessage(answer, 'text' in answer ? [answer.text.buffer] : []);
});

function answerTo({ query, as, sort }: ReportTask): ReportAnswer {
  try {
    database ??= openForReading(settings.location, true);
    const made = report(database, query, settings);
    if (as === 'report') return { report: made };
    const rows = sort === null ? made.rows : orderedRows(made, readOrder(sort, made.by));
    const text = as === 'json' ? JSON.stringify(asJson(made)) : asCsv({ ...made, rows });
    // Not `Buffer.from`, whose bytes may be part of a larger buffer, which cannot be transferred.
    return { text: new TextEncoder().encode(text) };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof ReportQueryError) return { refused: message };
    // The next query opens it again.
    database?.close();
    database = undefined;
    return { failed: message };
  }
}
