import { parentPort, workerData } from 'node:worker_threads';
import { openForReading } from '../ledger/database.js';
import type { Installation } from '../ledger/installation.js';
import { ReportQueryError } from './period.js';
import { type Report, report } from './report.js';
import type { ReportQuery } from './report-query.js';

/** What the thread is started with. */
export interface ReportSettings extends Installation {
  readonly file: string;
}

/** What the thread answers: reports in the order in which they were asked for. */
export type ReportAnswer = { readonly report: Report } | { readonly refused: string } | { readonly failed: string };

const settings = workerData as ReportSettings;
const port = parentPort!;
const database = openForReading(settings.file);

port.on('message', (query: ReportQuery) => port.postMessage(answerTo(query)));

function answerTo(query: ReportQuery): ReportAnswer {
  try {
    return { report: report(database, query, settings) };
  } catch (error) {
    const { message } = error as Error;
    return error instanceof ReportQueryError ? { refused: message } : { failed: message };
  }
}
