import { sql, type RawBuilder } from '#kysely';
import { compareNames } from '../domain/name-order.js';
import { type LedgerDatabase, queries } from '../ledger/tables/ledger-database.js';

/** An advertiser's month in which something was billed or credited, or which is closed. */
export interface InvoiceMonth {
  /** Empty: ads that name none. */
  readonly advertiser: string;
  /** 202611 */
  readonly month: number;
  /** Null: open. */
  readonly number: number | null;
  /** Epoch milliseconds; null: open, and more events may be billed. */
  readonly closedAt: number | null;
  /** What is billed less what is credited. */
  readonly totalMicros: bigint;
}

/** The months to list: those of one month, of one advertiser, or both. */
export interface InvoiceSelection {
  /** 202611; undefined: all. */
  readonly month?: number | undefined;
  /** Empty: ads that name none; undefined: all. */
  readonly advertiser?: string | undefined;
}

/**
 * Lists months with an invoice: closed ones, and open ones with anything billed or credited. Latest first, then by
 * advertiser. For one advertiser, it goes through all that was ever billed: about a second for ten million rows.
 */
export function listInvoiceMonths(database: LedgerDatabase, selection: InvoiceSelection): InvoiceMonth[] {
  const listed = new Map<string, { -readonly [K in keyof InvoiceMonth]: InvoiceMonth[K] }>();
  const monthOf = (advertiser: string, month: number) => {
    const key = `${month} ${advertiser}`;
    const known = listed.get(key) ?? { advertiser, month, number: null, closedAt: null, totalMicros: 0n };
    listed.set(key, known);
    return known;
  };
  database.readConsistently(() => {
    const sums = [...billedSums(database, selection), ...creditSums(database, selection)];
    for (const { advertiser, month, micros } of sums) monthOf(advertiser, Number(month)).totalMicros += micros;
    for (const { advertiser, month, number, closedAt } of closedMonths(database, selection))
      Object.assign(monthOf(advertiser, month), { number, closedAt });
  });
  return [...listed.values()].toSorted(
    (one, other) => other.month - one.month || compareNames(one.advertiser, other.advertiser),
  );
}

interface SumRow {
  readonly advertiser: string;
  readonly month: bigint;
  readonly micros: bigint;
}

function billedSums(database: LedgerDatabase, selection: InvoiceSelection): readonly SumRow[] {
  const sums = queries
    .selectFrom('billed')
    .innerJoin('dimension_sets', 'dimension_sets.dimension_set', 'billed.dimension_set')
    .where(isSelected(selection))
    .select(['advertiser', 'month', sql<bigint>`sum(times * price_micros)`.as('micros')])
    .groupBy(['advertiser', 'month']);
  return database.readAsBigints(sums.$castTo<SumRow>());
}

function creditSums(database: LedgerDatabase, selection: InvoiceSelection): readonly SumRow[] {
  const sums = queries
    .selectFrom('voided')
    .innerJoin('dimension_sets', 'dimension_sets.dimension_set', 'voided.dimension_set')
    .where('price_micros', '>', 0)
    .where(isSelected(selection))
    .select(['advertiser', 'month', sql<bigint>`sum(-price_micros)`.as('micros')])
    .groupBy(['advertiser', 'month']);
  return database.readAsBigints(sums.$castTo<SumRow>());
}

function isSelected({ month, advertiser }: InvoiceSelection): RawBuilder<boolean> {
  const conditions = [
    ...(month === undefined ? [] : [sql`month = ${month}`]),
    ...(advertiser === undefined ? [] : [sql`advertiser = ${advertiser}`]),
  ];
  return conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`;
}

function closedMonths(database: LedgerDatabase, { month, advertiser }: InvoiceSelection) {
  let rows = queries
    .selectFrom('closed_months')
    .leftJoin('invoices', (join) =>
      join
        .onRef('invoices.advertiser', '=', 'closed_months.advertiser')
        .onRef('invoices.month', '=', 'closed_months.month'),
    )
    .select(['closed_months.advertiser', 'closed_months.month', 'number', 'closed_at as closedAt']);
  if (month !== undefined) rows = rows.where('closed_months.month', '=', month);
  if (advertiser !== undefined) rows = rows.where('closed_months.advertiser', '=', advertiser);
  return database.readAsNumbers(rows);
}

/** Returns the months of any invoice, latest first, without going through what is billed in them. */
export function readInvoiceMonths(database: LedgerDatabase): number[] {
  const closed = database.readAsNumbers(queries.selectFrom('closed_months').select('month').distinct());
  const months = new Set(closed.map(({ month }) => month));
  for (const table of ['billed', 'voided'] as const) {
    for (let month = monthAfterIn(database, table, 0); month !== null; month = monthAfterIn(database, table, month))
      months.add(month);
  }
  return [...months].toSorted((one, other) => other - one);
}

function monthAfterIn(database: LedgerDatabase, table: 'billed' | 'voided', month: number): number | null {
  const next = queries
    .selectFrom(table)
    .select(({ fn }) => fn.min<number | null>('month').as('month'))
    .where('month', '>', month);
  return database.readAsNumbers(next)[0]?.month ?? null;
}
