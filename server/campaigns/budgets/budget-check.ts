import type { Creative } from '../../../models/schema/creative.js';
import type { Day } from '../../../platform/time/calendar.js';
import { unitPriceMicros } from '../../domain/billing.js';
import type { ExpectedCost } from './reservations.js';
import type { Terms } from '../terms/terms.js';

/** Why a budget does not allow one more ad. */
export type BudgetIneligibility = 'budget-spent' | 'daily-budget-spent' | 'ahead-of-pace' | 'share-reserved';

/** The max share of a campaign's remaining budget that served ads of one publisher may reserve. */
export const PUBLISHER_SHARE = 1 / 2;

/** Micros that an account has spent. */
export interface Spent {
  readonly total: number;
  readonly today: number;
}

/** The spend reserved for served ads that may still cost something, in micros. */
export interface Reserved extends ExpectedCost {
  /**
   * The parts reserved for this requester's publisher, address and session, each with the max share of what is left
   * that it may hold.
   */
  readonly shares: readonly { readonly micros: number; readonly most: number }[];
}

/** Returns which budget is too low for the price of one more event, or null if none is. Free ads need no budget. */
export function spentBudget(
  { budgetMicros, dailyBudgetMicros, pricing }: Pick<Creative, 'budgetMicros' | 'dailyBudgetMicros' | 'pricing'>,
  spent: Spent,
): 'budget-spent' | 'daily-budget-spent' | null {
  const price = unitPriceMicros(pricing);
  if (price === 0) return null;
  if (budgetMicros !== null && price > budgetMicros - spent.total) return 'budget-spent';
  return dailyBudgetMicros !== null && price > dailyBudgetMicros - spent.today ? 'daily-budget-spent' : null;
}

/**
 * Returns why a budget does not allow one more ad, or null if it does. The price of the next event must fit into what
 * is left, and the expected cost of ads already served must leave something. Free ads need no budget.
 */
export function budgetIneligibility(
  terms: Terms,
  spent: Spent,
  reserved: Reserved,
  day: Day,
  now: number,
): BudgetIneligibility | null {
  const { budgetMicros, dailyBudgetMicros, pricing } = terms.creative;
  if (unitPriceMicros(pricing) === 0) return null;
  const spentOut = spentBudget(terms.creative, spent);
  if (spentOut !== null) return spentOut;
  const total = (budgetMicros ?? Infinity) - spent.total;
  const today = (dailyBudgetMicros ?? Infinity) - spent.today;
  const leavesNothing = (left: number): boolean => reservedOf(left, reserved) >= left;
  if (leavesNothing(total)) return 'budget-spent';
  if (leavesNothing(today)) return 'daily-budget-spent';
  const even = terms.pacing === 'even';
  // One ad may exceed the pace: at the start of a day the allowance is below the price of a click.
  const pace = even ? allowanceMicros(terms, spent.total - spent.today, day, now) - spent.today : Infinity;
  if (leavesNothing(pace)) return 'ahead-of-pace';
  const left = Math.min(total, today, pace);
  // A holder without reservations, late ones included, may always have one ad.
  return reserved.shares.some(({ micros, most }) => micros > 0 && micros >= most * left) ? 'share-reserved' : null;
}

/**
 * Returns how much of what is left is reserved. Another publisher's ads count up to its share: how many of them are
 * shown, and when, is its doing, and must not keep a campaign from everybody else.
 */
function reservedOf(left: number, { own, others }: Reserved): number {
  const most = PUBLISHER_SHARE * Math.max(0, left);
  return others.reduce((sum, micros) => sum + Math.min(micros, most), own);
}

/**
 * How far spending may run ahead of the clock, as a share of the day: a quarter of an hour, so that spending can start.
 */
const LEAD = 1 / 96;

/**
 * Returns what an evenly paced campaign may have spent today by now, in micros: the day's budget times the share of the
 * day that is over plus a quarter of an hour. The day's budget is the daily budget or today's share of the rest of the
 * total budget over the remaining time, whichever is less. Without either (no daily budget, and no end date over which
 * to divide the total) there is no pacing.
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
