import { Temporal } from 'temporal-polyfill';

/** Dates (`2026-11-21`) and hours of one time zone. Moments are epoch milliseconds. */
export interface Calendar {
  readonly timeZone: string;
  /** The date at a moment. */
  dateOf(moment: number): string;
  /** The hour that a moment lies in, with its offset so that the two hours at the end of summer time differ: `2026-11-21T14:00+01:00`. */
  hourOf(moment: number): string;
  /** The first moment of a date: not always midnight, since clocks are put forward at midnight in some places. */
  startOf(date: string): number;
  /** The day of a moment, up to but without its end; 23 or 25 hours when clocks change. */
  dayOf(moment: number): Day;
}

export interface Day {
  readonly date: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The calendar of an IANA time zone, by the platform's own time-zone data. Feeds, commands, the ledger and reports all
 * convert between dates and moments by it.
 *
 * @throws RangeError for an unknown time zone
 */
export function createCalendar(timeZone: string): Calendar {
  const offsetAt = createOffsets(timeZone);
  const local = (moment: number): string => new Date(moment + offsetAt(moment).milliseconds).toISOString();
  // Up to the T, since years before 0 and beyond 9999 are longer.
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
 * The first moment of a date in a time zone. Where clocks skip midnight that is when they go on; where midnight comes
 * twice, the first of the two; of a day that a zone left out altogether, the start of the next.
 *
 * @throws RangeError for an unknown time zone
 */
export function startOfDate(date: string, timeZone: string): number {
  return Temporal.PlainDate.from(date).toZonedDateTime(timeZone).epochMilliseconds;
}

/** Whether a text is a date that exists, such as `2026-11-21`; `2026-02-30` does not. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch {
    return false;
  }
}

/** `2026-11-30` and 1 is `2026-12-01`. */
export function addDays(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** How many days the second date is after the first. */
export function daysBetween(from: string, to: string): number {
  return Temporal.PlainDate.from(from).until(to).days;
}

/** How the platform calls a time zone (an IANA name such as Europe/Berlin, or UTC); undefined when it does not know it. */
export function canonicalTimeZone(text: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** How far a zone's clocks are ahead of UTC, from one change of them to the next. */
interface Offset {
  readonly from: number;
  readonly until: number;
  readonly milliseconds: number;
  /** `+01:00` */
  readonly text: string;
}

/** Time-zone data is slow beside the counting that needs it: an offset is looked up once for all the time that it holds. */
function createOffsets(timeZone: string): (moment: number) => Offset {
  const known: Offset[] = [];
  const lookUp = (moment: number): Offset => {
    const at = (milliseconds: number) =>
      Temporal.Instant.fromEpochMilliseconds(milliseconds).toZonedDateTimeISO(timeZone);
    const zoned = at(moment);
    return {
      // A change at the very moment has taken place by then.
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
