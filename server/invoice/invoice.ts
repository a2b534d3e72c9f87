import { sql } from '#kysely';
import { firstDateOf, monthAfter } from '../domain/billing-month.js';
import { addDays, createCalendar } from '../../platform/time/calendar.js';
import { type LedgerDatabase, queries } from '../ledger/tables/ledger-database.js';
import { dayStart } from '../ledger/tables/roll-ups.js';
import { readAccountingBasis, type AccountingBasis } from '../ledger/tables/accounting-basis.js';
import { type Amounts, amountsOf } from './amounts.js';
import type { Parties } from './billing/billing-file.js';
import { readCreditLines, type CreditLine } from './credit-lines.js';

/** The events of one creative at one price. */
export interface InvoiceLine {
  readonly campaign: string | null;
  readonly creative: string;
  readonly model: 'cpm' | 'cpc';
  /** Impressions for CPM, clicks for CPC. */
  readonly events: number;
  /** The price of one event. */
  readonly priceMicros: bigint;
  /** Events times price, exact. */
  readonly amountMicros: bigint;
  /** How many of the events happened in an earlier month that was already closed when they were recorded. */
  readonly late: number;
}

/** An advertiser's invoice for a month. */
export interface Invoice extends AccountingBasis, Amounts {
  /** Assigned when the month is closed; null before. */
  readonly number: number | null;
  readonly advertiser: string;
  /** `2026-11` */
  readonly month: string;
  /** RFC 3339: the month in the ledger's time zone; the end is exclusive. */
  readonly from: string;
  readonly to: string;
  /** When the month was closed, RFC 3339; null: it is open, and more events may be billed. */
  readonly closedAt: string | null;
  /** The date in the ledger's time zone on which the month was closed; null: it is open. */
  readonly issued: string | null;
  /** The date by which it is to be paid; null: it is open, no time is set, or nothing is to be paid. */
  readonly due: string | null;
  readonly parties: Parties;
  readonly lines: readonly InvoiceLine[];
  /** Credits for voided events that earlier invoices, or the lines of this one, have billed. */
  readonly credits: readonly CreditLine[];
  /** The exact sum of lines and credits. */
  readonly totalMicros: bigint;
}

/**
 * Computes an advertiser's invoice for a month, as of one moment, also while other processes write.
 *
 * @param month 202611
 * @param basis the currency and time zone of a ledger that has none yet
 * @param parties what is set now; a closed invoice's stored documents have what was set then
 */
export function invoice(
  database: LedgerDatabase,
  advertiser: string,
  month: number,
  basis: AccountingBasis,
  parties: Parties = {},
): Invoice {
  return database.readConsistently(() => read(database, advertiser, month, basis, parties));
}

function read(
  database: LedgerDatabase,
  advertiser: string,
  month: number,
  basis: AccountingBasis,
  parties: Parties,
): Invoice {
  const { currency, timeZone } = readAccountingBasis(database) ?? basis;
  const first = firstDateOf(month);
  const firstDay = dayStart(first);
  const lines = rowsOf(database, advertiser, month, firstDay).map(
    ({ campaign, creative, kind, price, times, late }) => ({
      campaign: campaign || null,
      creative,
      model: kind === 'click' ? ('cpc' as const) : ('cpm' as const),
      events: Number(times),
      priceMicros: price,
      amountMicros: price * times,
      late: Number(late),
    }),
  );
  const calendar = createCalendar(timeZone);
  const closed = closedAt(database, advertiser, month);
  const credits = readCreditLines(database, advertiser, month);
  const totalMicros = [...lines, ...credits].reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
  const amounts = amountsOf(totalMicros, currency, parties);
  const issued = closed === undefined ? null : calendar.dateOf(closed);
  const dueDays = amounts.payableMicros > 0n ? parties.seller?.dueDays : undefined;
  return {
    number: null,
    advertiser,
    month: first.slice(0, 7),
    currency,
    timeZone,
    from: new Date(calendar.startOf(first)).toISOString(),
    to: new Date(calendar.startOf(firstDateOf(monthAfter(month)))).toISOString(),
    closedAt: closed === undefined ? null : new Date(closed).toISOString(),
    issued,
    due: issued === null || dueDays === undefined ? null : addDays(issued, dueDays),
    parties,
    lines,
    credits,
    totalMicros,
    ...amounts,
  };
}

interface Row {
  readonly campaign: string;
  readonly creative: string;
  readonly kind: string;
  readonly price: bigint;
  readonly times: bigint;
  readonly late: bigint;
}

function rowsOf(database: LedgerDatabase, advertiser: string, month: number, firstDay: number): Row[] {
  const query = queries
    .selectFrom('billed')
    .innerJoin('dimension_sets', 'dimension_sets.dimension_set', 'billed.dimension_set')
    .where('month', '=', month)
    .where('advertiser', '=', advertiser)
    .select(['campaign', 'creative', 'kind', 'price_micros as price'])
    .select(({ fn }) => fn.sum<bigint>('times').as('times'))
    .select(sql<bigint>`sum(case when day < ${firstDay} then times else 0 end)`.as('late'))
    .groupBy(['campaign', 'creative', 'kind', 'price_micros'])
    .orderBy('campaign')
    .orderBy('creative')
    .orderBy('kind')
    .orderBy('price_micros');
  return database.readAsBigints(query.$castTo<Row>());
}

function closedAt(database: LedgerDatabase, advertiser: string, month: number): number | undefined {
  const closed = queries
    .selectFrom('closed_months')
    .select('closed_at')
    .where('advertiser', '=', advertiser)
    .where('month', '=', month);
  const row = database.run(closed)[0];
  // The connection reads integers as bigint, whatever the table's type says.
  // oxlint-disable-next-line typescript/no-unnecessary-type-conversion
  return row === undefined ? undefined : Number(row.closed_at);
}
