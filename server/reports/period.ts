import { addDays, isDate, type Calendar } from '../../platform/time/calendar.js';
import { readInstant } from '../../platform/time/moment.js';

const QUARTER = 15 * 60_000;

/** From a moment, up to but without another, in epoch milliseconds; null: open. */
export interface Period {
  readonly from: number | null;
  readonly to: number | null;
}

/** What was asked for cannot be reported; the message says why. */
export class ReportQueryError extends Error {
  override readonly name = 'ReportQueryError';
}

/**
 * Reads a report's bounds. A bare date means the whole day, so that `--from 2026-11-21 --to 2026-11-21` is one day; a
 * date-time (RFC 3339) is a moment on a quarter of an hour, and the end is not part of the period.
 *
 * @throws ReportQueryError
 */
export function readPeriod(from: string | undefined, to: string | undefined, calendar: Calendar): Period {
  const period = {
    from: from === undefined ? null : momentOf('from', from, (date) => calendar.startOf(date)),
    to: to === undefined ? null : momentOf('to', to, (date) => calendar.startOf(addDays(date, 1))),
  };
  if (period.from !== null && period.to !== null && period.from >= period.to) {
    throw new ReportQueryError(`"to" (${to}) must be after "from" (${from})`);
  }
  return period;
}

function momentOf(name: string, text: string, ofDate: (date: string) => number): number {
  if (isDate(text)) return ofDate(text);
  const moment = readInstant(text);
  if (moment === undefined) {
    throw new ReportQueryError(
      `"${name}" must be a date (2026-11-21) or a date-time (2026-11-21T06:00Z), not "${text}"`,
    );
  }
  if (moment % QUARTER !== 0) throw new ReportQueryError(`"${name}" must be on a quarter of an hour, not ${text}`);
  return moment;
}
