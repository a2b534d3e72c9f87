import type { Day } from '../../models/time/calendar.js';
import { nextPriceMicros } from '../domain/billing.js';
import type { Spent } from './spending.js';
import type { Terms } from './terms.js';

/** Why a budget has no room for one more ad. */
export type BudgetFault = 'budget-spent' | 'daily-budget-spent' | 'ahead-of-pace';

/**
 * Whether a budget has room for one more ad: the next event's price must fit beside what is spent and what ads already
 * answered may still cost. What is free never meets a budget.
 *
 * @param reserved micros that answered ads may still cost
 */
export function budgetFault(terms: Terms, spent: Spent, reserved: number, day: Day, now: number): BudgetFault | null {
  const { budgetMicros, dailyBudgetMicros, pricing } = terms.creative;
  const price = nextPriceMicros(pricing);
  if (price === 0) return null;
  if (spent.total + reserved + price > (budgetMicros ?? Infinity)) return 'budget-spent';
  if (spent.today + reserved + price > (dailyBudgetMicros ?? Infinity)) return 'daily-budget-spent';
  if (terms.pacing === 'asap') return null;
  // One ad may carry it over the line: at the start of a day the line lies below the price of a click.
  const allowance = allowanceMicros(terms, spent.total - spent.today, day, now);
  return spent.today + reserved >= allowance ? 'ahead-of-pace' : null;
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
function allowanceMicros({ creative, startsAt, endsAt }: Terms, spentBefore: number, day: Day, now: number): number {
  const from = Math.max(day.start, startsAt);
  const to = Math.min(day.end, endsAt);
  const rest = creative.budgetMicros === null ? Infinity : creative.budgetMicros - spentBefore;
  const share = endsAt === Infinity ? Infinity : (rest * (to - from)) / (endsAt - from);
  const todays = Math.min(creative.dailyBudgetMicros ?? Infinity, share);
  if (todays === Infinity) return Infinity;
  return todays * Math.min(1, (now - from) / (to - from) + LEAD);
}
