const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const DAY = 1440 * MINUTE;

/** Dates and hours of one time zone. Moments are epoch milliseconds. */
export interface Calendar {
  readonly timeZone: string;
  /** The date at a moment, `2026-11-21`. */
  dateOf(moment: number): string;
  /** The hour that a moment lies in, with its offset so that the two hours at the end of summer time differ: `2026-11-21T14:00+01:00`. */
  hourOf(moment: number): string;
  /** The first moment of a date (not always midnight: clocks are put forward at midnight in some places). */
  startOf(date: string): number;
}

/**
 * The calendar of an IANA time zone, by the platform's own time-zone data.
 *
 * @throws RangeError for an unknown time zone
 */
export function createCalendar(timeZone: string): Calendar {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const read = (moment: number): string => {
    const name = format.formatToParts(moment).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
    return name === 'GMT' ? '+00:00' : name.slice(3, 9);
  };
  // Intl is slow beside the counting that needs it. Offsets change on quarter hours, and never twice within a day: one that is
  // the same at both ends of a day holds for all of it.
  const ofDays = new Map<number, string>();
  const ofQuarters = new Map<number, string>();
  const remembered = (known: Map<number, string>, number: number, span: number): string => {
    const offset = known.get(number) ?? read(number * span);
    known.set(number, offset);
    return offset;
  };
  const offsetOf = (moment: number): string => {
    const day = Math.floor(moment / DAY);
    const offset = remembered(ofDays, day, DAY);
    if (offset === remembered(ofDays, day + 1, DAY)) return offset;
    return remembered(ofQuarters, Math.floor(moment / QUARTER), QUARTER);
  };
  const localOf = (moment: number): string => new Date(moment + milliseconds(offsetOf(moment))).toISOString();
  const dates = new Map<number, string>();
  const dateOf = (moment: number): string => {
    const quarter = Math.floor(moment / QUARTER);
    const known = dates.get(quarter);
    if (known !== undefined) return known;
    const date = localOf(moment).slice(0, 10);
    dates.set(quarter, date);
    return date;
  };

  const hours = new Map<number, string>();
  const hourOf = (moment: number): string => {
    const quarter = Math.floor(moment / QUARTER);
    const hour = hours.get(quarter) ?? `${localOf(moment).slice(0, 13)}:00${offsetOf(moment)}`;
    hours.set(quarter, hour);
    return hour;
  };

  return {
    timeZone,
    dateOf,
    hourOf,
    startOf(date) {
      let moment = Date.parse(date) - DAY;
      while (dateOf(moment) < date) moment += QUARTER;
      return moment;
    },
  };
}

function milliseconds(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * MINUTE;
}
