import { isDeepStrictEqual } from 'node:util';
import { decimal } from '../../models/text/money.js';
import type { AuditEntry, FieldChange } from '../../models/audit/audit-log.js';

/** How values are written. */
export interface ValueStyle {
  /** Formats a moment: epoch milliseconds, or RFC 3339. Absent: moments are shown as recorded. */
  readonly moment?: (at: number | string) => string;
  /** Decimals that an amount has at least; 2 by default. */
  readonly decimals?: number;
}

/**
 * Returns an entry's changes, one line per field, such as `pricing: cpm 2.50 (feed) → cpm 3.00`. Money is in currency
 * units. Fields that are empty before and after, such as those that a new key does not set, are left out.
 */
export function changeTexts(
  { fields, failed }: Pick<AuditEntry, 'fields' | 'failed'>,
  style: ValueStyle = {},
): string[] {
  const lines = Object.entries(fields)
    .filter(([name, change]) => isChange(name, change))
    .map(([name, change]) => `${name}: ${changeText(name, change, style)}`);
  return failed === undefined ? lines : [...lines, `failed: ${failed}`];
}

/** A value of the feed is another than the same value set by command, which a new feed does not change. */
function isChange(name: string, { old, new: current, feed }: FieldChange): boolean {
  if (feed !== undefined) return true;
  return !(isEmpty(name, old) && isEmpty(name, current)) && !isDeepStrictEqual(old, current);
}

/** Returns whether a value says nothing. Of the figures, only the number of changed terms: a budget of 0 is a budget. */
function isEmpty(name: string, value: unknown): boolean {
  if (value === null || value === undefined || (name === 'changedTerms' && value === 0)) return true;
  return Array.isArray(value) && value.length === 0;
}

function changeText(name: string, { old, new: current, feed }: FieldChange, style: ValueStyle): string {
  const [before, after] = [old, current].map((value) => valueText(name, value, style));
  return `${before}${feed === 'old' ? ' (feed)' : ''} → ${after}${feed === 'new' ? ' (feed)' : ''}`;
}

function valueText(name: string, value: unknown, { moment, decimals = 2 }: ValueStyle): string {
  if (value === null || value === undefined) return 'none';
  if (name.endsWith('Micros') && Number.isSafeInteger(value)) return decimal(BigInt(value as number), decimals);
  if (isPricing(value)) return `${value.model} ${decimal(BigInt(value.micros), decimals)}`;
  if (moment !== undefined && isMoment(name, value)) return moment(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns whether a field holds a moment; the bounds of a correction are epoch milliseconds. */
function isMoment(name: string, value: unknown): value is number | string {
  if (name !== 'from' && name !== 'to' && !name.endsWith('At')) return false;
  const isOne = typeof value === 'number' || (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value));
  // The log may have been edited by hand.
  return isOne && !Number.isNaN(new Date(value).getTime());
}

function isPricing(value: unknown): value is { readonly model: string; readonly micros: number } {
  const { model, micros } = value as { readonly model?: unknown; readonly micros?: unknown };
  return typeof model === 'string' && Number.isSafeInteger(micros);
}
