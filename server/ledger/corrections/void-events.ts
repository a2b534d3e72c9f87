import { sql } from '#kysely';
import type { EventKind } from '../../../models/schema/event-kinds.js';
import { createCalendar } from '../../../platform/time/calendar.js';
import { firstOpenMonth } from '../../domain/billing-month.js';
import { type LedgerDatabase, queries } from '../tables/ledger-database.js';
import { countCorrection } from './count-correction.js';
import type { LedgerTables } from '../tables/schema.js';
import { eventsOf, type VoidRule } from './void-rule.js';

/** Events of one kind that one month (such as 202611) has billed, and the amount billed for them. */
export interface VoidedEvents {
  readonly publisher: string;
  readonly advertiser: string;
  readonly campaign: string;
  readonly creative: string;
  readonly kind: EventKind;
  readonly billedMonth: number;
  /** The month that credits them: the same month, or the first open one after it. */
  readonly month: number;
  readonly events: number;
  readonly micros: bigint;
}

/**
 * Finds what a rule would void now: events that count, are still stored individually, and are not voided yet. Reads all
 * events unless the rule gives request ids.
 */
export function findVoidable(database: LedgerDatabase, rule: VoidRule): VoidedEvents[] {
  const sums = eventsOf(database, rule)
    .select(['publisher', 'advertiser', 'campaign', 'creative', 'kind', 'month as billedMonth'])
    .select(({ fn }) => [fn.countAll().as('events'), fn.sum('price_micros').as('micros')])
    .groupBy(['publisher', 'advertiser', 'campaign', 'creative', 'kind', 'month']);
  const rows = database.readAsBigints(sums.$castTo<Row>());
  return rows.map(({ events, billedMonth, ...row }) => {
    const month = firstOpenMonth(Number(billedMonth), (each) => isClosed(database, row.advertiser, each));
    return { ...row, events: Number(events), billedMonth: Number(billedMonth), month };
  });
}

export interface VoidOptions {
  readonly rule: VoidRule;
  /** Printed on the invoice. */
  readonly reason: string;
  /** The ledger's. */
  readonly timeZone: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** How many events the operator confirmed; undefined: however many the rule finds. */
  readonly confirmed?: number;
}

/**
 * Voids what a rule finds: all of it or nothing. The events stay stored, so that none is counted again. The months that
 * billed them stay as they are too; their price is credited in the first open month, and returned to budgets.
 *
 * @param database from `openForWriting`
 * @returns the correction's number; undefined when the rule finds nothing and the operator confirmed no number above 0
 * @throws Error when it finds another number than the operator confirmed; nothing is voided then
 */
export function voidEvents(database: LedgerDatabase, options: VoidOptions): number | undefined {
  const { rule, reason, timeZone, now, confirmed } = options;
  collect(database, rule);
  const requireConfirmed = (found: number): void => {
    if (confirmed === undefined || found === confirmed) return;
    throw new Error(`the rule now matches ${found} events, not the ${confirmed} that were shown; nothing was voided`);
  };
  const write = (): number | undefined => {
    const months = database.run(withFound.selectFrom('found').select(['advertiser', 'month']).distinct());
    if (months.length === 0) requireConfirmed(0);
    if (months.length === 0) return undefined;
    const { ids, ...criteria } = rule;
    const stored = JSON.stringify({ ...criteria, ...(ids === undefined ? {} : { requestIds: ids.length }) });
    const begin = queries.insertInto('corrections').values({ made_at: now, reason, rule: stored });
    const { correction } = database.readAsNumbers(begin.returning('correction'))[0]!;
    const voided = months.map(({ advertiser, month }) => {
      const credited = firstOpenMonth(month, (each) => isClosed(database, advertiser, each));
      return database.change(creditFound(advertiser, month, credited, correction));
    });
    requireConfirmed(voided.reduce((sum, events) => sum + events, 0));
    if (voided.every((events) => events === 0)) {
      // Another process has voided them in the meantime.
      database.run(queries.deleteFrom('corrections').where('correction', '=', correction));
      return undefined;
    }
    countCorrection(database, createCalendar(timeZone), correction);
    return correction;
  };
  try {
    return database.exclusively(write);
  } finally {
    dropFound(database);
  }
}

function dropFound(database: LedgerDatabase): void {
  try {
    database.run(sql`drop table found`);
  } catch {
    // A lost connection has dropped it, and why it was lost is thrown already.
  }
}

interface Row extends Omit<VoidedEvents, 'events' | 'billedMonth' | 'month'> {
  readonly events: bigint;
  readonly billedMonth: bigint;
}

/**
 * Collects the events in a temporary table, which only this connection sees. Reading all events takes long, and must
 * not keep the server from counting; so it happens before the transaction.
 */
function collect(database: LedgerDatabase, rule: VoidRule): void {
  const columns = ['id', 'kind', 'at', 'events.dimension_set', 'price_micros', 'month', 'advertiser'] as const;
  database.run(queries.schema.createTable('found').temporary().as(eventsOf(database, rule).select(columns)));
}

interface FoundTable extends Omit<LedgerTables['events'], 'reason'> {
  advertiser: string;
}

const withFound = queries.withTables<{ found: FoundTable }>();

/** Credits the events found in an advertiser's month, except those that another process has voided in the meantime. */
function creditFound(advertiser: string, month: number, credited: number, correction: number) {
  const found = withFound
    .selectFrom('found')
    .where('advertiser', '=', advertiser)
    .where('month', '=', month)
    .select(['id', 'kind', 'at', 'dimension_set', 'price_micros', 'month'])
    .select([sql.lit(credited).as('credited'), sql.lit(correction).as('correction')]);
  return queries
    .insertInto('voided')
    .columns(['id', 'kind', 'at', 'dimension_set', 'price_micros', 'billed_month', 'month', 'correction'])
    .expression(found)
    .onConflict((conflict) => conflict.doNothing());
}

function isClosed(database: LedgerDatabase, advertiser: string, month: number): boolean {
  const closed = queries.selectFrom('closed_months').select('month').where('advertiser', '=', advertiser);
  return database.run(closed.where('month', '=', month)).length > 0;
}
