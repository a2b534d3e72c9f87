import { MEASURE_NAMES, type Order } from '../../reports/order.js';
import type { Calendar } from '../../../platform/time/calendar.js';
import type { Catalogue } from './page-options.js';
import { decimalsOf } from '../../invoice/payable.js';
import { format } from '../rendering/format.js';
import { MEASURES } from '../rendering/measures.js';
import type { Measures } from '../../reports/measures.js';
import type { Dimension } from '../../reports/report-query.js';
import type { ReportRow } from '../../reports/report.js';
import { sortableColumn, type SortableColumn } from './sortable-column.js';

/** A table for the view to render. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  readonly total: readonly Cell[] | null;
}

export interface Column extends SortableColumn {
  /** Whether it has names, which may be long. */
  readonly name: boolean;
}

export interface Cell {
  readonly text: string;
  readonly href?: string | undefined;
  /** Small text below. */
  readonly note?: string | undefined;
}

export interface TableOptions {
  readonly by: readonly Dimension[];
  readonly rows: readonly ReportRow[];
  readonly total: Measures | null;
  readonly order: Order | null;
  /** Returns the address of the same page in another order. */
  readonly sortHref: (sort: string) => string;
  /** Returns the address that a name links to. */
  readonly nameHref: (dimension: Dimension, name: string, group: ReportRow['group']) => string | undefined;
  readonly catalogue: Pick<Catalogue, 'find'>;
  readonly calendar: Calendar;
  /** The report's. */
  readonly currency: string;
}

/** Returns a report's rows with a column for each dimension and each measure. */
export function tableOf({
  by,
  rows,
  total,
  order,
  sortHref,
  nameHref,
  catalogue,
  calendar,
  currency,
}: TableOptions): Table {
  const column = (name: Order['column'], title: string, number: boolean): Column => ({
    ...sortableColumn({ name, title, number }, order, order === null ? null : sortHref),
    name: !number && !isTime(name),
  });
  const cell = (dimension: Dimension, { group }: ReportRow): Cell => {
    const name = group[dimension] ?? null;
    if (name === null) return { text: '–' };
    const creative = dimension === 'creative' ? catalogue.find(name) : undefined;
    const text = creative?.name ?? (dimension === 'hour' ? hourText(name, calendar) : name);
    return { text, note: creative === undefined ? undefined : name, href: nameHref(dimension, name, group) };
  };
  const amounts = [...rows, ...(total === null ? [] : [total])].flatMap(({ spendMicros, creditMicros }) => [
    spendMicros,
    creditMicros,
  ]);
  const rounded = decimalsOf(currency);
  const decimals = { exact: format.decimalsOf(amounts, rounded), rounded };
  return {
    columns: [
      ...by.map((dimension) => column(dimension, dimension[0]!.toUpperCase() + dimension.slice(1), false)),
      ...MEASURE_NAMES.map((name) => column(name, MEASURES[name].title, true)),
    ],
    rows: rows.map((row) => [...by.map((dimension) => cell(dimension, row)), ...numbersOf(row, decimals)]),
    total: total && [...by.map((_, index) => ({ text: index === 0 ? 'Total' : '' })), ...numbersOf(total, decimals)],
  };
}

function isTime(column: Order['column']): boolean {
  return column === 'day' || column === 'hour';
}

const HALF_HOUR = 1_800_000;

/** Returns an hour as `2026-11-21 14:00`, with its offset if the day has another such hour: summer time ends. */
function hourText(hour: string, { hourOf }: Calendar): string {
  const at = Date.parse(hour);
  const clock = hour.slice(0, 16);
  // Some clocks are put back by half an hour.
  const near = [-2, -1, 1, 2].map((halves) => hourOf(at + halves * HALF_HOUR));
  const isRepeated = near.some((other) => other !== hour && other.startsWith(clock));
  return `${clock.replace('T', ' ')}${isRepeated ? ` ${hour.slice(16)}` : ''}`;
}

/**
 * Returns the measures as text. Spend is exact, since a column must add up to its total; rates and eCPM are rounded.
 */
function numbersOf(measures: Measures, decimals: { readonly exact: number; readonly rounded: number }): Cell[] {
  const { spendMicros, voided, creditMicros } = measures;
  return MEASURE_NAMES.map((name) => {
    if (name !== 'spend') return { text: MEASURES[name].label(measures, decimals.rounded) };
    const note = `${format.money(creditMicros, decimals.exact)} credited: ${format.count(voided)} voided`;
    return { text: format.money(spendMicros, decimals.exact), note: voided > 0 ? note : undefined };
  });
}
