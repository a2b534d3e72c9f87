import { nextPriceMicros } from '../domain/expected-value.js';
import { allowanceMicros, type Day } from './pace.js';
import type { Spent } from './spending.js';
import type { Terms } from './terms.js';

/**
 * Whether a budget has room for one more ad: the next event's price must fit beside what is spent and what ads already
 * answered may still cost. What is free never meets a budget.
 *
 * @param reserved micros that answered ads may still cost
 */
export function budgetFault(
  terms: Terms,
  spent: Spent,
  reserved: number,
  day: Day,
  now: number,
): 'budget-spent' | 'daily-budget-spent' | 'ahead-of-pace' | null {
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
