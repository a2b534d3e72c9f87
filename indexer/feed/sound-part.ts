import type { Fault } from '../../models/schema/check.js';
import type { Creative } from '../../models/schema/creative.js';
import { misspelledField } from './field-names.js';

/** What can still be checked of a row that has faults, so that one run reports as many of them as possible. */
export interface SoundPart {
  /** The row with stand-ins for the fields that are wrong. */
  readonly creative: Creative;
  /** The fields that are wrong, by their names in a creative. */
  readonly wrong: ReadonlySet<string>;
}

/** Values without a fault, for fields that every row needs. */
const STAND_INS = { id: 'x', name: 'x', text: 'x', landingUrl: 'https://x.example/' };

/** Leaves out fields that are wrong, or puts a stand-in in their place; returns anything but an object as it is. */
export function withStandIns(row: unknown, wrong: ReadonlySet<string>): unknown {
  if (!isObject(row)) return row;
  return { ...STAND_INS, ...Object.fromEntries(Object.entries(row).filter(([field]) => !wrong.has(field))) };
}

const IN_CREATIVE: Readonly<Record<string, string>> = {
  price: 'pricing',
  budget: 'budgetMicros',
  dailyBudget: 'dailyBudgetMicros',
};

/** Returns the fields of a row that have faults, also those that it misspells. */
export function wrongFields(faults: readonly Fault[], row: unknown): ReadonlySet<string> {
  if (faults.length === 0) return new Set();
  const meant = isObject(row) ? Object.keys(row).map((name) => misspelledField(name, row)) : [];
  const names = [...faults.map(({ field }) => field.split('.')[0]), ...meant].filter((name) => name !== undefined);
  return new Set(names.map((name) => IN_CREATIVE[name] ?? name));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
