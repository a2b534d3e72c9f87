import { Worker } from 'node:worker_threads';
import { ReportQueryError } from './period.js';
import type { Report } from './report.js';
import type { ReportQuery } from './report-query.js';
import type { ReportAnswer, ReportSettings } from './report-worker.js';

/** Makes reports in a thread with its own connection, so that no match request waits for a report. */
export interface ReportThread {
  /**
   * @throws ReportQueryError for an invalid query
   * @throws ReportsBusyError when too many reports are pending
   * @throws Error when the ledger cannot be read; the next query opens it again
   */
  report(query: ReportQuery): Promise<Report>;
  close(): Promise<void>;
}

/** Too many reports are pending. */
export class ReportsBusyError extends Error {
  override readonly name = 'ReportsBusyError';
}

const MAX_PENDING = 64;

interface PendingReply {
  resolve(report: Report): void;
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
      if ('report' in answer) waiter?.resolve(answer.report);
      else waiter?.reject('refused' in answer ? new ReportQueryError(answer.refused) : new Error(answer.failed));
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

  return {
    report: (query) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= MAX_PENDING) return reject(new ReportsBusyError('too many reports at once'));
        worker ??= start();
        waiting.push({ resolve, reject });
        worker.postMessage(query);
      }),
    async close() {
      await worker?.terminate();
    },
  };
}
