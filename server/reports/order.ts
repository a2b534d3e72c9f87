import { compareNames } from '../domain/name-order.js';
import type { Measures } from './measures.js';
import { NAMES, type Dimension } from './report-query.js';
import type { Report, ReportRow } from './report.js';

/** The value of each measure by which rows can be ordered, in the order of a table's columns. */
export const MEASURE_VALUES = {
  decisions: ({ decisions }) => decisions,
  fills: ({ fills }) => fills,
  fillRate: ({ fillRate }) => fillRate,
  impressions: ({ impressions }) => impressions,
  views: ({ views }) => views,
  clicks: ({ clicks }) => clicks,
  ctr: ({ ctr }) => ctr,
  ignored: ({ ignored }) => Object.values(ignored).reduce((sum, times) => sum + times, 0),
  spend: ({ spendMicros }) => spendMicros,
  ecpm: ({ ecpmMicros }) => ecpmMicros,
} as const satisfies Record<string, (measures: Measures) => number | bigint | null>;

export type MeasureName = keyof typeof MEASURE_VALUES;

export const MEASURE_NAMES = Object.keys(MEASURE_VALUES) as MeasureName[];

/** The column that rows are ordered by. */
export interface Order {
  readonly column: Dimension | MeasureName;
  readonly descending: boolean;
}

/**
 * Reads an order such as `-spend`. Where it names no column of the report, latest times or else most impressions come
 * first.
 */
export function readOrder(text: string, by: readonly Dimension[]): Order {
  const descending = text.startsWith('-');
  const name = descending ? text.slice(1) : text;
  const column = [...by, ...MEASURE_NAMES].find((each) => each === name);
  if (column !== undefined) return { column, descending };
  const time = by.find((dimension) => dimension === 'hour' || dimension === 'day');
  return time === undefined ? { column: 'impressions', descending: true } : { column: time, descending: true };
}

/** Returns the rank of each name: a collator compares only those that differ, not one per row. */
function ranksOf(names: ReadonlySet<string>): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  let [rank, previous] = [0, ''];
  for (const name of [...names].toSorted(compareNames)) {
    if (ranks.size > 0 && compareNames(previous, name) !== 0) rank++;
    ranks.set(name, rank);
    previous = name;
  }
  return ranks;
}

/**
 * Returns the rows in an order; equal ones stay in the report's order. Absent rates and names come last either way.
 *
 * @param shownAs returns the name under which people see a creative; by default its id
 */
export function orderedRows(
  { rows }: Report,
  { column, descending }: Order,
  shownAs: (creative: string) => string = (id) => id,
): readonly ReportRow[] {
  const sign = descending ? -1 : 1;
  const isName = (NAMES as readonly string[]).includes(column);
  const valued = rows.map((row) => {
    const value = valueOf(row, column);
    return { row, value: column === 'creative' && typeof value === 'string' ? shownAs(value) : value };
  });
  const ranks = isName ? ranksOf(new Set(valued.flatMap(({ value }) => (value === null ? [] : String(value))))) : null;
  return valued
    .map(({ row, value }) => ({ row, value: ranks?.get(String(value)) ?? value }))
    .toSorted(({ value: one }, { value: other }) => {
      if (one === other) return 0;
      if (one === null || other === null) return one === null ? 1 : -1;
      return one < other ? -sign : sign;
    })
    .map(({ row }) => row);
}

function valueOf(row: ReportRow, column: Order['column']): string | number | bigint | null {
  if (column === 'hour') return Date.parse(row.group.hour ?? '');
  return column in MEASURE_VALUES
    ? MEASURE_VALUES[column as MeasureName](row)
    : (row.group[column as Dimension] ?? null);
}
