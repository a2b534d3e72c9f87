import { addDays, daysBetween, type Calendar } from '../../../platform/time/calendar.js';

const HOUR = 3_600_000;

/** A period of whole days, inclusive. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** Returns the number of days in a period. */
export function lengthOf({ from, to }: Days): number {
  return daysBetween(from, to) + 1;
}

/** Returns the period of the same length that ends the day before. */
export function daysBefore(days: Days): Days {
  return { from: addDays(days.from, -lengthOf(days)), to: addDays(days.from, -1) };
}

/** Returns the finished days of a period; null if none is. A part of a day cannot be compared with a whole one. */
export function finishedDays({ from, to }: Days, today: string): Days | null {
  const last = to < today ? to : addDays(today, -1);
  return from > last ? null : { from, to: last };
}

/** Returns the usual periods, as of today. */
export function usualPeriods(today: string): readonly (Days & { readonly name: string })[] {
  const monthStart = `${today.slice(0, 8)}01`;
  const lastMonthEnd = addDays(monthStart, -1);
  return [
    { name: 'Today', from: today, to: today },
    { name: '7 days', from: addDays(today, -6), to: today },
    { name: '30 days', from: addDays(today, -29), to: today },
    { name: '90 days', from: addDays(today, -89), to: today },
    { name: 'This month', from: monthStart, to: today },
    { name: 'Last month', from: `${lastMonthEnd.slice(0, 8)}01`, to: lastMonthEnd },
  ];
}

/** Periods of up to this many days are plotted by hour. */
const HOURLY_DAYS = 2;
/** Max days in a plot, beyond which a day would be thinner than its line: only the last ones are plotted. */
const MAX_STEPS = 400;

export type Step = 'hour' | 'day';

export function stepOf(days: Days): Step {
  return lengthOf(days) <= HOURLY_DAYS ? 'hour' : 'day';
}

/**
 * Returns every hour or day of a period up to now, empty ones included, as reports name it; of long periods the last
 * 400 days.
 */
export function stepsOf(days: Days, calendar: Calendar, now: number): readonly string[] {
  const steps: string[] = [];
  if (stepOf(days) === 'day') {
    const last = calendar.dateOf(now) < days.to ? calendar.dateOf(now) : days.to;
    const first = addDays(last, 1 - MAX_STEPS);
    for (let date = days.from < first ? first : days.from; date <= last; date = addDays(date, 1)) steps.push(date);
    return steps;
  }
  const end = Math.min(now + 1, calendar.startOf(addDays(days.to, 1)));
  for (let at = calendar.startOf(days.from); at < end; at += HOUR) steps.push(calendar.hourOf(at));
  return steps;
}
