import { addDays, isDate, type Calendar } from '../../platform/time/calendar.js';
import { readInstant } from '../../platform/time/moment.js';
import { QUARTER_HOUR } from '../../platform/time/durations.js';

/** A period in epoch milliseconds, without its end; null: unbounded. */
export interface Period {
  readonly from: number | null;
  readonly to: number | null;
}

/** The query is invalid; the message says why. */
export class ReportQueryError extends Error {
  override readonly name = 'ReportQueryError';
}

/**
 * Parses a report's bounds. A bare date means the whole day, so that `--from 2026-11-21 --to 2026-11-21` is one day. A
 * date-time (RFC 3339) is a moment on a quarter of an hour; as the end it is exclusive.
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
  if (moment % QUARTER_HOUR !== 0) throw new ReportQueryError(`"${name}" must be on a quarter of an hour, not ${text}`);
  return moment;
}
