import { addDays, daysBetween, type Calendar } from '../../../platform/time/calendar.js';

const HOUR = 3_600_000;

/** Whole days, both ends included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** How many days; both ends count. */
export function lengthOf({ from, to }: Days): number {
  return daysBetween(from, to) + 1;
}

/** As many days, just before. */
export function daysBefore(days: Days): Days {
  return { from: addDays(days.from, -lengthOf(days)), to: addDays(days.from, -1) };
}

/** The days of a period that are over; null: none is, since part of a day compares with no whole one. */
export function finishedDays({ from, to }: Days, today: string): Days | null {
  const last = to < today ? to : addDays(today, -1);
  return from > last ? null : { from, to: last };
}

/** The periods that people ask for most, as of today. */
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

/** Up to this many days are drawn hour by hour. */
const HOURLY_DAYS = 2;
/** Beyond this a day is thinner than its line: the last ones are drawn. */
const MAX_STEPS = 400;

export type Step = 'hour' | 'day';

export function stepOf(days: Days): Step {
  return lengthOf(days) <= HOURLY_DAYS ? 'hour' : 'day';
}

/** Every hour or day of a period as reports name it, the last 400 days of it, also those in which nothing happened; none beyond now. */
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
