import { Temporal } from 'temporal-polyfill';
import { MINUTE, HOUR, DAY } from './durations.js';
import { isDate, startOfDate } from './calendar.js';

// Seconds are optional, because people leave them out. Leap seconds are refused: no computer clock shows them.
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3])(:[0-5]\d)(:[0-5]\d)?(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * Parses a moment as written in feeds, commands and requests: an RFC 3339 date-time, or a date, which stands for its
 * first moment in a time zone.
 *
 * @returns epoch milliseconds; undefined for anything else, and for a date or time that does not exist
 */
export function readMoment(text: string, timeZone: string): number | undefined {
  return isDate(text) ? startOfDate(text, timeZone) : readInstant(text);
}

/** Parses an RFC 3339 date-time. @returns as `readMoment` */
export function readInstant(text: string): number | undefined {
  const [, date, hour, minute, second = '', fraction = '', offset] = RFC_3339.exec(text) ?? [];
  if (date === undefined || !isDate(date)) return undefined;
  try {
    // Digits beyond nanoseconds are dropped.
    const exact = `${date}T${hour}${minute}${second}${second && fraction.slice(0, 10)}${offset!.toUpperCase()}`;
    return Temporal.Instant.from(exact).epochMilliseconds;
  } catch {
    return undefined;
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: MINUTE, h: HOUR, d: DAY };

/** Parses `90s`, `30m`, `24h`, `7d` or `0` into milliseconds; undefined for anything else. */
export function readDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined || unit === undefined ? undefined : Number(count) * (UNITS[unit] ?? 0);
}

/** Parses a moment, or a duration from `now` on. */
export function readMomentOrDuration(text: string, timeZone: string, now: number): number | undefined {
  const duration = readDuration(text);
  return duration === undefined ? readMoment(text, timeZone) : now + duration;
}
