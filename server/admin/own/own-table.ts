import { decimalsOf } from '../../invoice/payable.js';
import { OWN_MEASURES, type OwnMeasure, type OwnReport, type OwnValues } from '../../reports/own-report.js';
import type { Cell, Column, Table } from '../pages/table.js';
import { format } from '../rendering/format.js';
import { MEASURES } from '../rendering/measures.js';

/** Returns a party's report as a table. It has no links, and creatives by their ids: no name from the catalogue. */
export function ownTable({ party, by, rows, total, currency }: OwnReport): Table {
  const measures = OWN_MEASURES[party.kind];
  const amounts = [total, ...rows.map(({ values }) => values)].flatMap(({ spend, credits }) =>
    [spend, credits].filter((amount) => typeof amount === 'bigint'),
  );
  const rounded = decimalsOf(currency ?? '');
  const exact = format.decimalsOf(amounts, rounded);
  const numbers = (values: OwnValues): Cell[] =>
    measures.map((measure) => ({ text: textOf(measure, values[measure] ?? null, exact, rounded) }));
  return {
    columns: [
      ...by.map((dimension) => column(dimension[0]!.toUpperCase() + dimension.slice(1), false, dimension !== 'day')),
      ...measures.map((measure) => column(titleOf(measure), true, false)),
    ],
    rows: rows.map(({ group, values }) => [
      ...by.map((dimension) => ({ text: group[dimension] ?? '–' })),
      ...numbers(values),
    ]),
    total: [...by.map((_, at) => ({ text: at === 0 ? 'Total' : '' })), ...numbers(total)],
  };
}

/** Returns a period's headline numbers. */
export function ownHeadlines({ party, total, currency }: OwnReport) {
  const decimals = decimalsOf(currency ?? '');
  return OWN_MEASURES[party.kind]
    .filter((measure) => measure !== 'voided' && measure !== 'credits' && measure !== 'views')
    .map((measure) => {
      const value = total[measure] ?? null;
      const isMoney = measure === 'spend' || measure === 'ecpm';
      return {
        name: titleOf(measure),
        value: typeof value === 'bigint' ? format.roundMoney(value, decimals) : textOf(measure, value, 0, decimals),
        unit: isMoney && currency !== null ? currency : '',
        change: null,
        trend: 'same',
        note: null,
      };
    });
}

function column(title: string, number: boolean, name: boolean): Column {
  return { title, number, name, href: null, sorted: null };
}

function titleOf(measure: OwnMeasure): string {
  if (measure === 'voided') return 'Voided';
  return measure === 'credits' ? 'Credits' : MEASURES[measure].title;
}

/** @param exact decimals of amounts that add up to their total. @param rounded decimals of the currency */
function textOf(measure: OwnMeasure, value: number | bigint | null, exact: number, rounded: number): string {
  if (value === null) return '–';
  if (typeof value === 'bigint')
    return measure === 'ecpm' ? format.roundMoney(value, rounded) : format.money(value, exact);
  return measure === 'ctr' || measure === 'fillRate' ? format.percent(value) : format.count(value);
}
