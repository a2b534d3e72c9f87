import { MEASURES, type MeasureName } from '../rendering/measures.js';
import type { Dimension } from '../../reports/report-query.js';
import type { Report, ReportRow } from '../../reports/report.js';

/** The measures, in the order of the table's columns. */
export const MEASURE_NAMES = Object.keys(MEASURES) as MeasureName[];

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

/** Returns the rows in an order; equal ones stay in the report's order. Absent rates and names come last either way. */
export function orderedRows({ rows }: Report, { column, descending }: Order): readonly ReportRow[] {
  const sign = descending ? -1 : 1;
  return rows
    .map((row) => ({ row, value: valueOf(row, column) }))
    .toSorted(({ value: one }, { value: other }) => {
      if (one === other) return 0;
      if (one === null || other === null) return one === null ? 1 : -1;
      return one < other ? -sign : sign;
    })
    .map(({ row }) => row);
}

function valueOf(row: ReportRow, column: Order['column']): string | number | bigint | null {
  if (column === 'spend') return row.spendMicros;
  if (column === 'ecpm') return row.ecpmMicros;
  if (column === 'hour') return Date.parse(row.group.hour ?? '');
  return column in MEASURES ? MEASURES[column as MeasureName].value(row) : (row.group[column as Dimension] ?? null);
}
