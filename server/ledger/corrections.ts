import type { Database } from 'better-sqlite3';
import type { EventKind } from '../../models/schema/usage-event.js';
import { createCalendar } from '../../models/time/calendar.js';
import { monthAfter } from '../domain/billing.js';
import { queries, readSmall, run } from './database.js';
import { countCorrection } from './count-correction.js';
import { eventsOf, type VoidRule } from './void-rule.js';

/** Events of one kind that one month has billed (202611), and what they were billed at. */
export interface VoidedEvents {
  readonly publisher: string;
  readonly advertiser: string;
  readonly campaign: string;
  readonly creative: string;
  readonly kind: EventKind;
  readonly billedMonth: number;
  /** The month that credits them: the same, or the first after it that is not closed. */
  readonly month: number;
  readonly events: number;
  readonly micros: bigint;
}

/**
 * What a rule would void now: events that count, are still stored one by one, and were not voided before. Reads all events
 * unless request ids are given.
 */
export function findVoidable(database: Database, rule: VoidRule): VoidedEvents[] {
  const sums = eventsOf(rule)
    .select(['publisher', 'advertiser', 'campaign', 'creative', 'kind', 'month as billedMonth'])
    .select(({ fn }) => [fn.countAll().as('events'), fn.sum('price_micros').as('micros')])
    .groupBy(['publisher', 'advertiser', 'campaign', 'creative', 'kind', 'month'])
    .compile();
  const rows = database
    .prepare<unknown[], Row>(sums.sql)
    .safeIntegers(true)
    .all(...sums.parameters);
  return rows.map(({ events, billedMonth, ...row }) => {
    const month = firstOpenMonth(database, row.advertiser, Number(billedMonth));
    return { ...row, events: Number(events), billedMonth: Number(billedMonth), month };
  });
}

/**
 * Voids what a rule finds: all of it or nothing. The events stay, so that none is counted again; the months that billed them
 * stay too, and their price is credited in the first that is open. Budgets have it back.
 *
 * @param database from `openForWriting`
 * @param timeZone the installation's
 * @param reason stands on the invoice
 * @param now epoch milliseconds
 * @returns the correction's number; undefined when the rule finds nothing
 */
export function voidEvents(
  database: Database,
  timeZone: string,
  rule: VoidRule,
  reason: string,
  now: number,
): number | undefined {
  collect(database, rule);
  const write = (): number | undefined => {
    const months = database.prepare<[], MonthRow>('select distinct advertiser, month from found').all();
    if (months.length === 0) return undefined;
    const { ids, ...told } = rule;
    const stored = JSON.stringify({ ...told, ...(ids === undefined ? {} : { requestIds: ids.length }) });
    const begin = queries.insertInto('corrections').values({ made_at: now, reason, rule: stored });
    const { correction } = readSmall(database, begin.returning('correction'))[0]!;
    const credit = database.prepare(
      `insert into voided (id, kind, at, dimension_set, price_micros, billed_month, month, correction)
       select id, kind, at, dimension_set, price_micros, month, ?, ? from found where advertiser = ? and month = ?
       on conflict do nothing`,
    );
    const voided = months.map(({ advertiser, month }) => {
      return credit.run(firstOpenMonth(database, advertiser, month), correction, advertiser, month).changes;
    });
    if (voided.every((events) => events === 0)) {
      // Somebody else was faster.
      run(database, queries.deleteFrom('corrections').where('correction', '=', correction));
      return undefined;
    }
    countCorrection(database, createCalendar(timeZone), correction);
    return correction;
  };
  try {
    return database.transaction(write).immediate();
  } finally {
    database.exec('drop table found');
  }
}

interface Row extends Omit<VoidedEvents, 'events' | 'billedMonth' | 'month'> {
  readonly events: bigint;
  readonly billedMonth: bigint;
}

interface MonthRow {
  readonly advertiser: string;
  readonly month: number;
}

/** Into a table of this connection alone: reading all events takes its time, and must not keep the server from counting. */
function collect(database: Database, rule: VoidRule): void {
  const columns = ['id', 'kind', 'at', 'events.dimension_set', 'price_micros', 'month', 'advertiser'] as const;
  const found = eventsOf(rule).select(columns).compile();
  database.prepare(`create temp table found as ${found.sql}`).run(...found.parameters);
}

function firstOpenMonth(database: Database, advertiser: string, month: number): number {
  const closed = queries.selectFrom('closed_months').select('month').where('advertiser', '=', advertiser);
  let open = month;
  while (run(database, closed.where('month', '=', open)).length > 0) open = monthAfter(open);
  return open;
}
