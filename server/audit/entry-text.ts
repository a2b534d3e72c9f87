import { decimal } from '../../models/text/money.js';
import type { AuditEntry, FieldChange } from '../../models/audit/audit-log.js';

/**
 * Returns an entry's changes, one line per field, such as `pricing: cpm 2.50 (feed) → cpm 3.00`. Money is in currency
 * units.
 */
export function changeTexts({ fields, failed }: Pick<AuditEntry, 'fields' | 'failed'>): string[] {
  const lines = Object.entries(fields).map(([name, change]) => `${name}: ${changeText(name, change)}`);
  return failed === undefined ? lines : [...lines, `failed: ${failed}`];
}

function changeText(name: string, { old, new: current, feed }: FieldChange): string {
  const [before, after] = [old, current].map((value) => valueText(name, value));
  return `${before}${feed === 'old' ? ' (feed)' : ''} → ${after}${feed === 'new' ? ' (feed)' : ''}`;
}

function valueText(name: string, value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (name.endsWith('Micros') && Number.isSafeInteger(value)) return decimal(BigInt(value as number), 2);
  if (isPricing(value)) return `${value.model} ${decimal(BigInt(value.micros), 2)}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isPricing(value: unknown): value is { readonly model: string; readonly micros: number } {
  const { model, micros } = value as { readonly model?: unknown; readonly micros?: unknown };
  return typeof model === 'string' && Number.isSafeInteger(micros);
}
