import type { FeedFault } from '../feed/feed-entry.js';
import { keyOf, shortName } from '../feed/field-names.js';
import type { MappingNotes } from './map-rows.js';
import type { Mapping } from './mapping.js';
import { gapsOf } from './template.js';

/** How many columns a fault names. */
const NAMED = 20;

/**
 * Returns a fault for each column that a mapping reads and no row of the feed has: a budget whose column was renamed
 * would be no limit, and rows that are sold out would no longer be left out.
 */
export function missingColumns(mapping: Mapping, columns: MappingNotes['columns']): FeedFault[] {
  if (columns.size === 0) return [];
  const gaps = [
    ...[...mapping.fields].flatMap(([field, template]) => gapsOf(template).map((gap) => ({ field, gap }))),
    ...mapping.leaveOut.map(({ gap }) => ({ field: 'leaveOut', gap })),
    ...(mapping.onePer === null ? [] : [{ field: 'onePer', gap: mapping.onePer }]),
  ];
  const names = [...columns.values()].map(({ name }) => shortName(name));
  const more = names.length - NAMED;
  const listed = `${names.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const missing = gaps.filter(({ gap }) => !gap.some((name) => name === '' || columns.has(keyOf(name))));
  return missing.map(({ field, gap }, at) => ({
    position: null,
    field,
    message:
      `the mapping reads the column “${gap.map(shortName).join('” or “')}”, which the feed does not have` +
      (at === 0 ? `; it has ${listed}` : ''),
  }));
}
