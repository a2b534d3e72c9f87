import { inBatches } from '../../platform/time/in-batches.js';
import { rowFromCells } from '../feed/csv-row.js';
import type { FeedEntry, FeedFault } from '../feed/feed-entry.js';
import { shortName } from '../feed/field-names.js';
import type { Feed } from '../feed/read-feed.js';
import { mapRows, type MappingNotes } from './map-rows.js';
import { missingColumns } from './missing-columns.js';
import type { FeedReading } from './read-mapping.js';
import { gapsOf } from './template.js';

/** A feed in the form that FEED.md describes, whatever columns the file has. */
export interface ReadFeed {
  readonly feed: Feed;
  /** By field: what it was read from, if that is not a column of its own name. */
  readonly origins: ReadonlyMap<string, string>;
  /** Null: without a mapping. */
  readonly mapped: MappingNotes | null;
}

/** Origins of a value that all rows get. */
export const FIXED_ORIGINS: readonly string[] = ['--set', '--set or mapping'];

/** Applies a mapping and fixed values to the rows of a feed. */
export async function applyReading(feed: Feed, { mapping, fixed }: FeedReading): Promise<ReadFeed> {
  if (mapping === null) {
    const origins = new Map([...fixed.keys()].map((field) => [field, '--set']));
    return { feed: { ...feed, entries: await withFixed(feed.entries, fixed) }, origins, mapped: null };
  }
  const { entries, ...mapped } = await mapRows(feed.entries, mapping);
  const fatal: readonly FeedFault[] = [...feed.fatal, ...missingColumns(mapping, mapped.columns)];
  const origins = new Map(
    Array.from(mapping.fields, ([field, template]) => {
      const columns = [...new Set(gapsOf(template).flat())].filter((column) => column !== '');
      return [field, columns.length === 0 ? '--set or mapping' : columns.map(shortName).join(', ')] as const;
    }),
  );
  return { feed: { ...feed, entries, fatal }, origins, mapped };
}

async function withFixed(
  entries: readonly FeedEntry[],
  fixed: ReadonlyMap<string, string>,
): Promise<readonly FeedEntry[]> {
  if (fixed.size === 0) return entries;
  const values = Object.entries(rowFromCells([...fixed.keys()], [...fixed.values()]));
  const set: FeedEntry[] = [];
  await inBatches(entries, (entry) => {
    const isRow = 'value' in entry && isObject(entry.value) && !Array.isArray(entry.value);
    set.push(isRow ? { ...entry, value: merged(entry.value, values) } : entry);
  });
  return set;
}

/** Replaces fields of a row, and within `pricing` and `frequencyCap` the given ones. */
function merged(row: object, values: readonly (readonly [field: string, value: unknown])[]): object {
  const before = row as Readonly<Record<string, unknown>>;
  const after = values.map(([field, value]) => [
    field,
    isObject(value) && !Array.isArray(value) && isObject(before[field]) ? { ...before[field], ...value } : value,
  ]);
  return { ...row, ...(Object.fromEntries(after) as object) };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
