import { parentPort, workerData } from 'node:worker_threads';
import { openForReading, type LedgerPlace } from '../ledger/database.js';
import type { Installation } from '../ledger/tables/accounting-basis.js';
import type { LedgerDatabase } from '../ledger/tables/ledger-database.js';
import { ReportQueryError } from './period.js';
import { type Report, report } from './report.js';
import type { ReportQuery } from './report-query.js';

/** What the thread is started with. */
export interface ReportSettings extends Installation {
  readonly place: LedgerPlace;
}

/** What the thread answers: reports in the order in which they were asked for. */
export type ReportAnswer = { readonly report: Report } | { readonly refused: string } | { readonly failed: string };

const settings = workerData as ReportSettings;
const port = parentPort!;
let database: LedgerDatabase | undefined;

port.on('message', (query: ReportQuery) => port.postMessage(answerTo(query)));

function answerTo(query: ReportQuery): ReportAnswer {
  try {
    database ??= openForReading(settings.place, true);
    return { report: report(database, query, settings) };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof ReportQueryError) return { refused: message };
    // The next question opens it afresh.
    database?.close();
    database = undefined;
    return { failed: message };
  }
}
