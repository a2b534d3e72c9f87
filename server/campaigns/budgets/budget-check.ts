import type { Day } from '../../../platform/time/calendar.js';
import { nextPriceMicros } from '../../domain/billing.js';
import type { Spent } from './spending.js';
import type { Terms } from '../terms/terms.js';

/** Why a budget has no room for one more ad. */
export type BudgetIneligibility = 'budget-spent' | 'daily-budget-spent' | 'ahead-of-pace' | 'share-reserved';

/** What ads already answered may still cost, in micros. */
export interface Reserved {
  readonly all: number;
  /** Of that, what belongs to one visitor or publisher that asks now, and how much of what is left it may hold at most. */
  readonly shares: readonly { readonly micros: number; readonly most: number }[];
}

/**
 * Whether a budget has room for one more ad: the next event's price must fit beside what is spent, and what ads already
 * answered are expected to cost must leave something. What is free never meets a budget.
 */
export function budgetIneligibility(
  terms: Terms,
  spent: Spent,
  reserved: Reserved,
  day: Day,
  now: number,
): BudgetIneligibility | null {
  const { budgetMicros, dailyBudgetMicros, pricing } = terms.creative;
  const price = nextPriceMicros(pricing);
  if (price === 0) return null;
  const isFull = (left: number): boolean => price > left || reserved.all >= left;
  const total = (budgetMicros ?? Infinity) - spent.total;
  const today = (dailyBudgetMicros ?? Infinity) - spent.today;
  if (isFull(total)) return 'budget-spent';
  if (isFull(today)) return 'daily-budget-spent';
  const even = terms.pacing === 'even';
  // One ad may carry it over the line: at the start of a day the line lies below the price of a click.
  const pace = even ? allowanceMicros(terms, spent.total - spent.today, day, now) - spent.today : Infinity;
  if (reserved.all >= pace) return 'ahead-of-pace';
  const left = Math.min(total, today, pace);
  // Nobody holds nothing: one ad is always allowed.
  return reserved.shares.some(({ micros, most }) => micros > 0 && micros >= most * left) ? 'share-reserved' : null;
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
