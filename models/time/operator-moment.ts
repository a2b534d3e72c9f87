const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** `90s`, `30m`, `24h`, `7d` or `0` in milliseconds; undefined for anything else. */
export function readDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined || unit === undefined ? undefined : Number(count) * (UNITS[unit] ?? 0);
}

/**
 * A moment as an operator writes it: an RFC 3339 date-time, a date (midnight in `timeZone`) or a duration from `now`.
 *
 * @returns epoch milliseconds, or undefined for anything else
 */
export function readMoment(text: string, timeZone: string, now: number): number | undefined {
  const duration = readDuration(text);
  if (duration !== undefined) return now + duration;
  if (RFC_3339.test(text)) return finite(Date.parse(text.replace(' ', 'T')));
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const utc = finite(Date.parse(`${text}T00:00:00Z`));
  if (utc === undefined || new Date(utc).toISOString().slice(0, 10) !== text) return undefined;
  // The offset at the moment found may differ from the one at the guess, on the days when clocks change.
  const guess = utc - offset(utc, timeZone);
  return utc - offset(guess, timeZone);
}

/** How far the zone's clocks are ahead of UTC at a moment, in milliseconds. */
function offset(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const [year, month, day, hour, minute, second] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((type) =>
    Number(parts.find((part) => part.type === type)?.value),
  ) as [number, number, number, number, number, number];
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
