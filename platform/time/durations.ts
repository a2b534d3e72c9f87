/** Durations in milliseconds. A day of a calendar may be longer or shorter. */
export const MINUTE = 60_000;
export const QUARTER_HOUR = 15 * MINUTE;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
