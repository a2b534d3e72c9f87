import { COLUMNS } from './field-names.js';

const NUMBERS = new Set([
  'pricing.micros',
  'frequencyCap.ads',
  'frequencyCap.hours',
  'budgetMicros',
  'dailyBudgetMicros',
]);

const LISTS = new Set(['categories', 'negativeKeywords', 'countries']);

const MICROS = /micros$/i;

/**
 * Returns the unchecked row of a CSV record. An empty cell is an absent field, except for `text`, which is required and
 * becomes empty.
 */
export function rowFromCells(columns: readonly string[], cells: readonly string[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [at, column] of columns.entries()) {
    const cell = (cells[at] ?? '').trim();
    if (!COLUMNS.has(column) || (cell === '' && column !== 'text')) continue;
    const value = cellValue(column, cell);
    const [outer, inner] = column.split('.') as [string, string?];
    if (inner === undefined) row[outer] = value;
    else row[outer] = { ...(row[outer] as object | undefined), [inner]: value };
  }
  return row;
}

function cellValue(column: string, cell: string): unknown {
  if (LISTS.has(column)) return cell.split('|').map((name) => name.trim());
  // Anything else stays text, so that the check reports it: also 2.00 micros, which was meant as units.
  const number = MICROS.test(column) ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/;
  return NUMBERS.has(column) && number.test(cell) ? Number(cell) : cell;
}
