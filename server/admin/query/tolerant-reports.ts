import type { Calendar } from '../../../platform/time/calendar.js';
import type { Logger } from 'pino';
import { emptySums, measuresOf } from '../../reports/measures.js';
import { ReportQueryError } from '../../reports/period.js';
import type { RunReport } from './traffic.js';

export interface TolerantReportsOptions {
  readonly runReport: RunReport;
  readonly config: { readonly currency: string };
  readonly calendar: Calendar;
  readonly log: Pick<Logger, 'warn'>;
}

/** Reports for a page that must open without them, such as one with a button that is needed at once. */
export interface TolerantReports {
  /** Runs a report; if it cannot be made, logs why and returns one without rows. @throws ReportQueryError */
  readonly run: RunReport;
  /** Whether a report could not be made. */
  failed(): boolean;
}

export function tolerantReports({ runReport, config, calendar, log }: TolerantReportsOptions): TolerantReports {
  let failed = false;
  return {
    run: (query) =>
      runReport(query).catch((error: unknown) => {
        if (error instanceof ReportQueryError) throw error;
        failed = true;
        log.warn({ err: error }, 'a page was shown without its figures');
        const { by, where = {}, test } = query;
        const { timeZone } = calendar;
        const total = measuresOf(emptySums());
        return {
          by,
          where,
          test,
          timeZone,
          currency: config.currency,
          from: null,
          to: null,
          rows: [],
          total,
          leftOut: 0,
        };
      }),
    failed: () => failed,
  };
}
