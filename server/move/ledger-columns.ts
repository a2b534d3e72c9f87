import { sql, type RawBuilder } from '#kysely';
import type { LedgerTables } from '../ledger/tables/schema.js';

export type LedgerTable = keyof LedgerTables;

/** A `key` identifies and orders rows. Servers add to a `sum`, in PostgreSQL each in its own slot. */
type Role = 'key' | 'value' | 'sum';

/** Every column of every table. Each table comes after those that it refers to. */
const COLUMNS: { readonly [Table in LedgerTable]: Readonly<Record<keyof LedgerTables[Table], Role>> } = {
  installation: { name: 'key', value: 'value' },
  dimension_sets: {
    dimension_set: 'key',
    publisher: 'value',
    advertiser: 'value',
    campaign: 'value',
    creative: 'value',
    test: 'value',
  },
  events: {
    id: 'key',
    kind: 'key',
    at: 'value',
    dimension_set: 'value',
    price_micros: 'value',
    reason: 'value',
    month: 'value',
  },
  counters: {
    grain: 'key',
    start: 'key',
    dimension_set: 'key',
    counted: 'key',
    reason: 'key',
    times: 'sum',
    micros: 'sum',
  },
  billed: { month: 'key', day: 'key', dimension_set: 'key', kind: 'key', price_micros: 'key', times: 'sum' },
  spend: { day: 'key', advertiser: 'key', campaign: 'key', creative: 'key', micros: 'sum' },
  closed_months: { advertiser: 'key', month: 'key', closed_at: 'value' },
  invoices: { number: 'key', advertiser: 'value', month: 'value' },
  invoice_documents: { number: 'key', format: 'key', content: 'value', digest: 'value' },
  corrections: { correction: 'key', made_at: 'value', reason: 'value', rule: 'value' },
  voided: {
    id: 'key',
    kind: 'key',
    at: 'value',
    dimension_set: 'value',
    price_micros: 'value',
    billed_month: 'value',
    month: 'value',
    correction: 'value',
  },
};

/** All tables, in an order in which they can be filled. */
export const LEDGER_TABLES = Object.keys(COLUMNS) as LedgerTable[];

export function columnsOf(table: LedgerTable): string[] {
  return Object.keys(COLUMNS[table]);
}

export function keysOf(table: LedgerTable): string[] {
  return columnsOf(table).filter((column) => roleOf(table, column) === 'key');
}

/** Returns a table's select list and its group-by clause, which sum all slots into one row. */
export function selectionOf(table: LedgerTable): {
  readonly selected: RawBuilder<unknown>;
  readonly grouped: RawBuilder<unknown>;
} {
  const isSum = (column: string): boolean => roleOf(table, column) === 'sum';
  const selected = columnsOf(table).map((column) =>
    isSum(column) ? sql`sum(${sql.ref(column)}) as ${sql.ref(column)}` : sql.ref(column),
  );
  const grouped = columnsOf(table).some(isSum)
    ? sql`group by ${sql.join(keysOf(table).map((key) => sql.ref(key)))}`
    : sql``;
  return { selected: sql.join(selected), grouped };
}

function roleOf(table: LedgerTable, column: string): Role {
  return (COLUMNS[table] as Readonly<Record<string, Role>>)[column]!;
}
