import { sql } from 'kysely';
import { monthAfter } from '../domain/billing.js';
import { createCalendar } from '../../platform/time/calendar.js';
import { type LedgerDatabase, queries } from '../ledger/tables/ledger-database.js';
import { dayStart } from '../ledger/tables/roll-ups.js';
import { readInstallation, type Installation } from '../ledger/tables/accounting-basis.js';
import { readCreditLines, type CreditLine } from './credit-lines.js';
import { firstDateOf } from './month.js';
import { payableOf } from './payable.js';

/** What one creative did at one price. */
export interface InvoiceLine {
  readonly campaign: string | null;
  readonly creative: string;
  readonly model: 'cpm' | 'cpc';
  /** Impressions for a cpm, clicks for a cpc. */
  readonly events: number;
  /** What one event costs. */
  readonly priceMicros: bigint;
  /** Events times price: exact. */
  readonly amountMicros: bigint;
  /** How many of the events happened in an earlier month that was closed by then. */
  readonly late: number;
}

/** What an advertiser owes for a month. */
export interface Invoice extends Installation {
  /** Given when it is closed, and stored; null before. */
  readonly number: number | null;
  readonly advertiser: string;
  /** `2026-11` */
  readonly month: string;
  /** RFC 3339: the month in the installation's time zone; the end is not part of it. */
  readonly from: string;
  readonly to: string;
  /** When it was closed, RFC 3339; null: it is open, and more events may come. */
  readonly closedAt: string | null;
  readonly lines: readonly InvoiceLine[];
  /** What earlier invoices, or this one's lines, have billed and is not owed. */
  readonly credits: readonly CreditLine[];
  /** Exact: what lines and credits add up to. */
  readonly totalMicros: bigint;
  /** The total, rounded once to the smallest unit of the currency. Negative: it is the advertiser who is owed. */
  readonly payableMicros: bigint;
  /** How many decimals the currency has. */
  readonly payableDecimals: number;
}

/**
 * What the ledger holds for an advertiser's month, of one moment, also while others write.
 *
 * @param month 202611
 * @param installation what an empty ledger would count in
 */
export function invoice(
  database: LedgerDatabase,
  advertiser: string,
  month: number,
  installation: Installation,
): Invoice {
  return database.atOnce(() => read(database, advertiser, month, installation));
}

function read(database: LedgerDatabase, advertiser: string, month: number, installation: Installation): Invoice {
  const { currency, timeZone } = readInstallation(database) ?? installation;
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
  const { micros: payableMicros, decimals: payableDecimals } = payableOf(totalMicros, currency);
  return {
    number: null,
    advertiser,
    month: first.slice(0, 7),
    currency,
    timeZone,
    from: new Date(calendar.startOf(first)).toISOString(),
    to: new Date(calendar.startOf(firstDateOf(monthAfter(month)))).toISOString(),
    closedAt: closed === undefined ? null : new Date(closed).toISOString(),
    lines,
    credits,
    totalMicros,
    payableMicros,
    payableDecimals,
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
  return database.readExact(query.$castTo<Row>());
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
