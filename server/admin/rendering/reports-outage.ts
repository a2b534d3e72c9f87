import { ReportsBusyError, ReportsUnavailableError, ReportTimeoutError } from '../../reports/report-thread.js';

/** Why a report cannot be made now, for a response with status 503. */
export interface ReportsOutage {
  /** Without a full stop. */
  readonly message: string;
  readonly retryAfterSeconds: number;
  /** Whether an operator should look at it: the database's state, not just many requests. */
  readonly isLogged: boolean;
}

/** Returns why a report cannot be made now; null for any other error. */
export function reportsOutage(error: unknown): ReportsOutage | null {
  if (error instanceof ReportsBusyError) {
    return { message: 'too many reports at once', retryAfterSeconds: 1, isLogged: false };
  }
  if (error instanceof ReportTimeoutError) {
    const { retryAfterSeconds } = error;
    const message = 'this report takes longer than the database allows; ask for a shorter period or fewer names';
    return { message, retryAfterSeconds, isLogged: true };
  }
  if (error instanceof ReportsUnavailableError) {
    const { retryAfterSeconds } = error;
    return { message: 'reports cannot be read now; try again shortly', retryAfterSeconds, isLogged: true };
  }
  return null;
}
