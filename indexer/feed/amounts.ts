import type { Fault } from '../../models/schema/check.js';
import { MAX_PRICE_MICROS } from '../../models/schema/creative.js';
import { readMoney } from '../../models/text/money.js';

/** A row whose amounts are all in micros, as the schema requires, and the faults of its amounts in units. */
export interface RowInMicros {
  readonly row: unknown;
  readonly faults: readonly Fault[];
}

/**
 * Converts amounts in units of the currency (`price`, `budget`, `dailyBudget`) into the corresponding fields in micros.
 *
 * @param row the unchecked row of the feed
 * @param currency the installation's currency, an ISO 4217 code
 */
export function inMicros(row: unknown, currency: string): RowInMicros {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return { row, faults: [] };
  const { price, budget, dailyBudget, ...others } = row as Readonly<Record<string, unknown>>;
  const faults: Fault[] = [];
  const amounts: Record<string, unknown> = {};
  for (const [field, value] of Object.entries({ budget, dailyBudget })) {
    if (value === undefined) continue;
    const inField = `${field}Micros`;
    const amount = others[inField] === undefined ? readAmount(value, currency) : besides(inField);
    if (typeof amount === 'number') amounts[inField] = amount;
    else faults.push({ field, message: amount.fault });
  }
  if (price === undefined) return { row: { ...others, ...amounts }, faults };
  const pricing = withPrice(others['pricing'], price, currency);
  if (!('fault' in pricing)) return { row: { ...others, pricing, ...amounts }, faults };
  const { pricing: _, ...rest } = others;
  return { row: { ...rest, ...amounts }, faults: [{ field: 'price', message: pricing.fault }, ...faults] };
}

type Wrong = { readonly fault: string };

function withPrice(pricing: unknown, price: unknown, currency: string): object | Wrong {
  const { model, micros } = (pricing ?? {}) as { readonly model?: unknown; readonly micros?: unknown };
  if (micros !== undefined) return besides('pricing.micros');
  if (model === undefined) return { fault: 'needs pricing.model: cpm (per 1,000 impressions) or cpc (per click)' };
  const amount = readAmount(price, currency);
  if (typeof amount !== 'number') return amount;
  if (amount > MAX_PRICE_MICROS) return { fault: `must be at most 1,000,000, not ${shown(price)}` };
  if (model === 'cpm' && amount % 1000 !== 0) {
    const why = 'since one impression costs a thousandth of it';
    return { fault: `of a cpm must have at most three decimals, ${why}; not ${shown(price)}` };
  }
  return { ...(pricing as object), micros: amount };
}

const besides = (other: string): Wrong => ({ fault: `is given together with ${other}; give only one of the two` });

/** `0.35`, `0.35 EUR` or `EUR 0.35`; a JSON number is converted to text first. */
const AMOUNT = /^(?:([A-Z]{3}) ?)?(\d+(?:\.\d+)?)(?: ?([A-Z]{3}))?$/;

/** @returns micros, or the fault */
function readAmount(value: unknown, currency: string): number | Wrong {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
  const [, before, number = '', behind] = AMOUNT.exec(text) ?? [];
  const named = before ?? behind ?? currency;
  if (number !== '' && named !== currency) {
    return { fault: `is in ${named}, but this installation counts in ${currency} (the CURRENCY setting)` };
  }
  const micros = before !== undefined && behind !== undefined ? undefined : readMoney(number);
  if (micros !== undefined) return micros;
  return {
    fault: `must be an amount such as 0.35 or 0.35 ${currency}, with a point and at most six decimals, not ${shown(value)}`,
  };
}

const shown = (value: unknown): string => JSON.stringify(value).slice(0, 80);
