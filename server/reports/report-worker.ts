import { parentPort, workerData } from 'node:worker_threads';
import { openForReading, type LedgerLocation } from '../ledger/database.js';
import type { AccountingBasis } from '../ledger/tables/accounting-basis.js';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { ReportQueryError } from './period.js';
import { type Report, report } from './report.js';
import type { ReportQuery } from './report-query.js';

/** The thread's `workerData`. */
export interface ReportSettings extends AccountingBasis {
  readonly location: LedgerLocation;
}

/** The thread's answer to a query. Answers come in the order of the queries. */
export type ReportAnswer = { readonly report: Report } | { readonly refused: string } | { readonly failed: string };

const settings = workerData as ReportSettings;
const port = parentPort!;
let database: LedgerDatabase | undefined;

port.on('message', (query: ReportQuery) => port.postMessage(answerTo(query)));

function answerTo(query: ReportQuery): ReportAnswer {
  try {
    database ??= openForReading(settings.location, true);
    return { report: report(database, query, settings) };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof ReportQueryError) return { refused: message };
    // The next query opens it again.
    database?.close();
    database = undefined;
    return { failed: message };
  }
}
