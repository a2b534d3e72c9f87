import type { Terms } from './terms.js';

/** A day of the installation's time zone, epoch milliseconds; 23 or 25 hours when clocks change. */
export interface Day {
  readonly start: number;
  readonly end: number;
}

/** How far ahead of the clock spending may run, as a share of the day: a quarter of an hour, so that a day can begin. */
const LEAD = 1 / 96;

/**
 * What an evenly paced campaign may have spent by now, in micros: the day's budget times the share of its time that is
 * over, a quarter of an hour ahead. The day's budget is the daily one, or the total's rest divided over the time that
 * is left, whichever is less. Without either (no daily budget, and no end that the total could be divided by) there
 * is nothing to pace.
 *
 * @param spentBefore micros spent before this day
 */
export function allowanceMicros(
  { creative, startsAt, endsAt }: Terms,
  spentBefore: number,
  day: Day,
  now: number,
): number {
  const from = Math.max(day.start, startsAt);
  const to = Math.min(day.end, endsAt);
  const rest = creative.budgetMicros === null ? Infinity : creative.budgetMicros - spentBefore;
  const share = endsAt === Infinity ? Infinity : (rest * (to - from)) / (endsAt - from);
  const todays = Math.min(creative.dailyBudgetMicros ?? Infinity, share);
  if (todays === Infinity) return Infinity;
  return todays * Math.min(1, (now - from) / (to - from) + LEAD);
}
