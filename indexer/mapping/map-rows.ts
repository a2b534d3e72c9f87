import { inBatches } from '../../platform/time/in-batches.js';
import { rowFromCells } from '../feed/csv-row.js';
import type { FeedEntry } from '../feed/feed-entry.js';
import { keyOf } from '../feed/field-names.js';
import { encodedUrl } from '../feed/landing-url.js';
import { comparable, type Mapping } from './mapping.js';
import { plainText } from './plain-text.js';
import { shorten } from './shorten.js';
import { fillTemplate } from './template.js';

/** What a mapping did not take from a feed. */
export interface MappingNotes {
  /** Number of rows left out, by reason. */
  readonly leftOut: ReadonlyMap<string, number>;
  /** Number of rows whose text was shortened. */
  readonly shortened: number;
  /** Columns of the feed by key: their names, and the number of rows that have a value. */
  readonly columns: ReadonlyMap<string, { readonly name: string; readonly rows: number }>;
}

/** The rows of a feed with other columns, in the form of a feed. */
export interface MappedRows extends MappingNotes {
  readonly entries: readonly FeedEntry[];
}

/** Turns the rows of a feed into those that the mapping describes. Rows that could not be read stay faults. */
export async function mapRows(feed: readonly FeedEntry[], mapping: Mapping): Promise<MappedRows> {
  const columns = new Map<string, { name: string; rows: number }>();
  const keys = new Map<string, string>();
  const leftOut = new Map<string, number>();
  const groups = new Set<string>();
  const entries: FeedEntry[] = [];
  let shortened = 0;
  await inBatches(feed, (entry) => {
    if ('fault' in entry || !isRow(entry.value)) return entries.push(entry);
    const cells = cellsOf(entry.value, mapping, keys, columns);
    const cellOf = (column: string): string => cells.get(keyFor(column, keys)) ?? '';
    const reason = reasonToLeaveOut(cellOf, mapping, groups);
    if (reason !== null) return leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
    const { row, isShortened } = rowOf(cellOf, mapping);
    if (isShortened) shortened++;
    return entries.push({ ...entry, value: row });
  });
  return { entries, leftOut, shortened, columns };
}

function isRow(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the row's values by the keys of its columns; of columns with one key, the first that has a value. Leaves out
 * columns without a name, such as notes beside a table: templates write an absent column as one.
 */
function cellsOf(
  value: Readonly<Record<string, unknown>>,
  { categorySeparator }: Mapping,
  keys: Map<string, string>,
  columns: Map<string, { name: string; rows: number }>,
): Map<string, string> {
  const cells = new Map<string, string>();
  for (const [name, content] of Object.entries(value)) {
    const key = keyFor(name, keys);
    const cell = cellText(content, categorySeparator[0]!);
    const column = columns.get(key);
    if (column === undefined) columns.set(key, { name, rows: cell === '' ? 0 : 1 });
    else if (cell !== '') column.rows++;
    if (cell !== '' && key !== '' && !cells.has(key)) cells.set(key, cell);
  }
  return cells;
}

function keyFor(name: string, keys: Map<string, string>): string {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = keyOf(name);
  keys.set(name, key);
  return key;
}

/** Characters read of a cell, as in the other formats: regular expressions fail on texts of megabytes. */
const MAX_CELL = 64 * 1024;

/** Returns the text of a cell or of a JSON value; empty for an object. */
function cellText(content: unknown, separator: string): string {
  const text = Array.isArray(content)
    ? content.filter(isScalar).join(separator)
    : isScalar(content)
      ? `${content}`
      : '';
  return text.slice(0, MAX_CELL).trim();
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function reasonToLeaveOut(
  cellOf: (column: string) => string,
  { leaveOut, onePer }: Mapping,
  groups: Set<string>,
): string | null {
  const cellIn = (gap: readonly string[]): string => gap.map(cellOf).find((cell) => cell !== '') ?? '';
  for (const { gap, values } of leaveOut) {
    const value = comparable(cellIn(gap));
    if (values.has(value)) return `with ${gap[0]} “${value}”`;
  }
  const group = onePer === null ? '' : cellIn(onePer);
  if (group === '') return null;
  if (groups.has(group)) return `more of an ${onePer![0]}`;
  groups.add(group);
  return null;
}

function rowOf(
  cellOf: (column: string) => string,
  { fields, categorySeparator, maxTextLength }: Mapping,
): { readonly row: Record<string, unknown>; readonly isShortened: boolean } {
  const filled = new Map(Array.from(fields, ([field, template]) => [field, fillTemplate(template, cellOf)]));
  const plain = (field: string): [string, string] => [field, plainText(filled.get(field) ?? '')];
  const [, text] = plain('text');
  const shown = shorten(text, maxTextLength);
  const cells = new Map([
    ...filled,
    ...['name', 'advertiser', 'campaign'].map(plain),
    ['text', shown],
    ['landingUrl', encodedUrl((filled.get('landingUrl') ?? '').replaceAll('&amp;', '&'))],
    ['categories', categoriesIn(filled.get('categories') ?? '', categorySeparator)],
  ]);
  return { row: rowFromCells([...cells.keys()], [...cells.values()]), isShortened: shown !== text };
}

/** Returns the categories as a cell of a feed has them. */
function categoriesIn(cell: string, separators: string): string {
  const parts = separators.split('').reduce((texts, each) => texts.flatMap((text) => text.split(each)), [cell]);
  return [...new Set(parts.map((part) => plainText(part)).filter((part) => part !== ''))].join('|');
}
