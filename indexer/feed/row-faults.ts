import type { Fault } from '../../models/schema/check.js';
import { FeedRow } from '../../models/schema/creative.js';
import { hintAt, misspelledField, mustBe, NESTED_FIELDS, shortName } from './field-names.js';
import { landingUrlFault } from './landing-url.js';
import { budgetFault, pricingFaults } from './pricing-faults.js';

type Row = Readonly<Record<string, unknown>>;

/**
 * Replaces a fault that the schema found in a row by more precise ones, which name the value and what to do. Only an
 * object has a fault at a field.
 */
export function detailsOf(fault: Fault, row: unknown): readonly Fault[] {
  const { field, message } = fault;
  if (field === '') return [fault];
  const value = valueAt(row, field);
  if (message === 'is required') return requiredFault(field, row as Row);
  switch (field) {
    case 'pricing': {
      const details = pricingFaults(value);
      return details.length > 0 ? details : [fault];
    }
    case 'budgetMicros':
    case 'dailyBudgetMicros':
      return [{ field, message: budgetFault(field, value) }];
    case 'startsAt':
    case 'endsAt':
      return [{ field, message: `${message}, such as 2027-03-31 or 2027-03-31T09:00:00+02:00, not ${shown(value)}` }];
    case 'landingUrl':
      return [
        (typeof value === 'string' && message.includes('address') && landingUrlFault(value)) || typed(fault, value),
      ];
    default:
      return [typed(fault, value)];
  }
}

/** Returns a fault for each field of a JSON row that would be ignored although it is clear which one is meant. */
export function misspellings(row: unknown): Fault[] {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return [];
  return Object.entries(row)
    .filter(([field, value]) => value !== null && !Object.hasOwn(FeedRow.properties, field))
    .flatMap(([field]) => {
      const [outer, inner] = field.split('.');
      if (NESTED_FIELDS.includes(field)) return [{ field, message: `must be nested: {"${outer}":{"${inner}":…}}` }];
      const meant = misspelledField(field, row);
      return meant === undefined ? [] : [{ field: shortName(field), message: mustBe(meant) }];
    });
}

/** Returns no fault if the field is there, misspelled: that is a fault of its own. */
function requiredFault(field: string, row: Row): Fault[] {
  const names = Object.keys(row);
  if (names.some((name) => misspelledField(name, row) === field)) return [];
  return [{ field, message: `is required${hintAt(field, names)}` }];
}

function typed({ field, message }: Fault, value: unknown): Fault {
  if (message === 'must be string') return { field, message: `must be a text in quotes, not ${shown(value)}` };
  if (message === 'must be array')
    return { field, message: `must be a list such as ["Shoes","Sale"], not ${shown(value)}` };
  return { field, message };
}

/** @param field dotted, as `categories.1` */
function valueAt(row: unknown, field: string): unknown {
  return field.split('.').reduce<unknown>((value, name) => (value as Row | undefined)?.[name], row);
}

function shown(value: unknown): string {
  return JSON.stringify(value ?? null).slice(0, 80);
}
