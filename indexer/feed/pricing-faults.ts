import type { Fault } from '../../models/schema/check.js';
import { MAX_PRICE_MICROS } from '../../models/schema/creative.js';

const MICROS = '1 unit of the currency is 1,000,000 micros';

/** Returns each fault of a row's `pricing`. The schema, which has two forms of it, can only say that neither fits. */
export function pricingFaults(pricing: unknown): Fault[] {
  if (typeof pricing !== 'object' || pricing === null || Array.isArray(pricing)) {
    return [{ field: 'pricing', message: `must look like {"model":"cpm","micros":2500000}, not ${quoted(pricing)}` }];
  }
  const { model, micros, ...others } = pricing as Readonly<Record<string, unknown>>;
  const faults = [
    { field: 'pricing.model', message: modelFault(model) },
    { field: 'pricing.micros', message: microsFault(micros, model) },
    ...Object.keys(others).map((name) => ({ field: `pricing.${name}`, message: 'is not a known field' })),
  ];
  return faults.filter((fault): fault is Fault => fault.message !== null);
}

/** Returns the fault of a budget in micros. @param field `budgetMicros` or `dailyBudgetMicros` */
export function budgetFault(field: string, micros: unknown): string {
  if (typeof micros === 'number' && Number.isInteger(micros)) {
    if (micros < 0) return `must not be negative, as ${micros} is`;
    return `must be at most ${Number.MAX_SAFE_INTEGER.toLocaleString('en')}, not ${micros}`;
  }
  return `must be a whole number (${MICROS}), not ${quoted(micros)}; ${field.replace('Micros', '')} takes units`;
}

function modelFault(model: unknown): string | null {
  if (model === undefined) return 'is required: cpm (per 1,000 impressions) or cpc (per click)';
  if (model === 'cpm' || model === 'cpc') return null;
  return `must be cpm (per 1,000 impressions) or cpc (per click), not ${quoted(model)}`;
}

function microsFault(micros: unknown, model: unknown): string | null {
  if (micros === undefined) return `is required: ${MICROS}`;
  if (typeof micros !== 'number' || !Number.isInteger(micros)) {
    return `must be a whole number (${MICROS}), not ${quoted(micros)}; price takes units`;
  }
  if (micros < 0) return `must not be negative, as ${micros} is`;
  if (micros > MAX_PRICE_MICROS)
    return `must be at most ${MAX_PRICE_MICROS.toLocaleString('en')} (a million units), not ${micros}`;
  if (model !== 'cpm' || micros % 1000 === 0) return null;
  return `of a cpm must be a multiple of 1,000, since one impression costs a thousandth of it; not ${micros}`;
}

function quoted(value: unknown): string {
  return JSON.stringify(value);
}
