/**
 * A feed's date or date-time as UTC. A bare date is midnight in the installation's time zone; where clocks skip
 * midnight, the day's first instant.
 *
 * @returns RFC 3339 in UTC, or null when no such moment exists (a leap second, a date out of range)
 */
export function momentToUtc(moment: string, timeZone: string): string | null {
  const milliseconds = /^\d{4}-\d{2}-\d{2}$/.test(moment)
    ? dayStart(moment, timeZone)
    : Date.parse(moment.toUpperCase());
  return Number.isNaN(milliseconds) ? null : new Date(milliseconds).toISOString();
}

/** Whether the platform knows the zone (an IANA name such as Europe/Berlin, or UTC). */
export function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const HOUR = 3_600_000;

/** Searches for the first instant whose local date is the one asked for; zones lie between UTC-12 and UTC+14. */
function dayStart(date: string, timeZone: string): number {
  const utc = Date.parse(`${date}T00:00:00Z`);
  // en-CA writes dates as RFC 3339 does, so that they compare as text.
  const local = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  let before = utc - 15 * HOUR;
  let after = utc + 13 * HOUR;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (local.format(middle) >= date) after = middle;
    else before = middle;
  }
  return after;
}
