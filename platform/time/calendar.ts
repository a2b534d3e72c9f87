import { Temporal } from 'temporal-polyfill';

/** Dates (`2026-11-21`) and hours in one time zone. Moments are epoch milliseconds. */
export interface Calendar {
  readonly timeZone: string;
  /** Returns the date of a moment. */
  dateOf(moment: number): string;
  /**
   * Returns the hour of a moment: `2026-11-21T14:00+01:00`. The offset distinguishes the two equal hours at the end of
   * summer time.
   */
  hourOf(moment: number): string;
  /** Returns the first moment of a date. It is not always midnight: some places put clocks forward at midnight. */
  startOf(date: string): number;
  /** Returns the day of a moment. The end is exclusive; the day has 23 or 25 hours when clocks change. */
  dayOf(moment: number): Day;
}

export interface Day {
  readonly date: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Creates the calendar of an IANA time zone from the platform's time-zone data. Feeds, commands, the ledger and reports
 * use it for all conversions between dates and moments.
 *
 * @throws RangeError for an unknown time zone
 */
export function createCalendar(timeZone: string): Calendar {
  const offsetAt = createOffsets(timeZone);
  const local = (moment: number): string => new Date(moment + offsetAt(moment).milliseconds).toISOString();
  // Splits at the T: years before 0 and after 9999 have more characters.
  const dateOf = (moment: number): string => local(moment).split('T', 1)[0]!;
  const startOf = (date: string): number => startOfDate(date, timeZone);
  let day: Day = { date: '', start: 0, end: 0 };
  return {
    timeZone,
    dateOf,
    hourOf: (moment) => `${local(moment).split(':', 1)[0]!}:00${offsetAt(moment).text}`,
    startOf,
    dayOf(moment) {
      if (moment < day.start || moment >= day.end) {
        const date = dateOf(moment);
        day = { date, start: startOf(date), end: startOf(addDays(date, 1)) };
      }
      return day;
    },
  };
}

/**
 * Returns the first moment of a date in a time zone. If clocks skip midnight, that is the moment after the gap; if
 * midnight occurs twice, the first of the two; if the zone skipped the whole day, the start of the next one.
 *
 * @throws RangeError for an unknown time zone
 */
export function startOfDate(date: string, timeZone: string): number {
  return Temporal.PlainDate.from(date).toZonedDateTime(timeZone).epochMilliseconds;
}

/** Returns whether a text is an existing date such as `2026-11-21`; `2026-02-30` is not. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch {
    return false;
  }
}

/** Adds days to a date: `2026-11-30` and 1 give `2026-12-01`. */
export function addDays(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** Returns how many days the second date is after the first. */
export function daysBetween(from: string, to: string): number {
  return Temporal.PlainDate.from(from).until(to).days;
}

/**
 * Returns the platform's name of a time zone (an IANA name such as Europe/Berlin, or UTC); undefined if it is unknown.
 */
export function canonicalTimeZone(text: string): string | undefined {
  // Later releases of Node know offsets. Days of +05:17 would begin within a quarter of an hour, by which events are
  // summed.
  if (/^[+-]/.test(text) && !/:(00|15|30|45)$/.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** A zone's offset from UTC between two clock changes. */
interface Offset {
  readonly from: number;
  readonly until: number;
  readonly milliseconds: number;
  /** `+01:00` */
  readonly text: string;
}

/**
 * Looking up time-zone data is slow compared with counting events, so each offset is looked up once for its whole
 * period.
 */
function createOffsets(timeZone: string): (moment: number) => Offset {
  const known: Offset[] = [];
  const lookUp = (moment: number): Offset => {
    const at = (milliseconds: number) =>
      Temporal.Instant.fromEpochMilliseconds(milliseconds).toZonedDateTimeISO(timeZone);
    const zoned = at(moment);
    return {
      // A change at exactly this moment has already taken effect.
      from: at(moment + 1).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity,
      until: zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity,
      milliseconds: zoned.offsetNanoseconds / 1e6,
      text: zoned.offset.slice(0, 6),
    };
  };
  let latest = lookUp(0);
  return (moment) => {
    if (moment >= latest.from && moment < latest.until) return latest;
    let found = known.find(({ from, until }) => moment >= from && moment < until);
    if (found === undefined) known.push((found = lookUp(moment)));
    return (latest = found);
  };
}
