import { sql } from 'kysely';
import type { EventKind } from '../../../models/schema/usage-event.js';
import { createCalendar } from '../../../platform/time/calendar.js';
import { firstOpenMonth } from '../../domain/billing.js';
import { type LedgerDatabase, queries } from '../tables/ledger-database.js';
import { countCorrection } from './count-correction.js';
import type { LedgerTables } from '../tables/schema.js';
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
export function findVoidable(database: LedgerDatabase, rule: VoidRule): VoidedEvents[] {
  const sums = eventsOf(database, rule)
    .select(['publisher', 'advertiser', 'campaign', 'creative', 'kind', 'month as billedMonth'])
    .select(({ fn }) => [fn.countAll().as('events'), fn.sum('price_micros').as('micros')])
    .groupBy(['publisher', 'advertiser', 'campaign', 'creative', 'kind', 'month']);
  const rows = database.readExact(sums.$castTo<Row>());
  return rows.map(({ events, billedMonth, ...row }) => {
    const month = firstOpenMonth(Number(billedMonth), (each) => isClosed(database, row.advertiser, each));
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
 * @param shown how many events somebody has agreed to; absent: whatever the rule finds
 * @returns the correction's number; undefined when the rule finds nothing and nobody has agreed to more
 * @throws Error when it finds another number than was shown; nothing is voided then
 */
export function voidEvents(
  database: LedgerDatabase,
  timeZone: string,
  rule: VoidRule,
  reason: string,
  now: number,
  shown?: number,
): number | undefined {
  collect(database, rule);
  const requireShown = (found: number): void => {
    if (shown === undefined || found === shown) return;
    throw new Error(`${found} events are as you say now, not the ${shown} that were shown; nothing was voided`);
  };
  const write = (): number | undefined => {
    const months = database.run(withFound.selectFrom('found').select(['advertiser', 'month']).distinct());
    if (months.length === 0) requireShown(0);
    if (months.length === 0) return undefined;
    const { ids, ...told } = rule;
    const stored = JSON.stringify({ ...told, ...(ids === undefined ? {} : { requestIds: ids.length }) });
    const begin = queries.insertInto('corrections').values({ made_at: now, reason, rule: stored });
    const { correction } = database.readSmall(begin.returning('correction'))[0]!;
    const voided = months.map(({ advertiser, month }) => {
      const credited = firstOpenMonth(month, (each) => isClosed(database, advertiser, each));
      return database.change(creditFound(advertiser, month, credited, correction));
    });
    requireShown(voided.reduce((sum, events) => sum + events, 0));
    if (voided.every((events) => events === 0)) {
      // Somebody else was faster.
      database.run(queries.deleteFrom('corrections').where('correction', '=', correction));
      return undefined;
    }
    countCorrection(database, createCalendar(timeZone), correction);
    return correction;
  };
  try {
    return database.exclusively(write);
  } finally {
    database.run(sql`drop table found`);
  }
}

interface Row extends Omit<VoidedEvents, 'events' | 'billedMonth' | 'month'> {
  readonly events: bigint;
  readonly billedMonth: bigint;
}

/** Into a table of this connection alone: reading all events takes its time, and must not keep the server from counting. */
function collect(database: LedgerDatabase, rule: VoidRule): void {
  const columns = ['id', 'kind', 'at', 'events.dimension_set', 'price_micros', 'month', 'advertiser'] as const;
  database.run(queries.schema.createTable('found').temporary().as(eventsOf(database, rule).select(columns)));
}

interface FoundTable extends Omit<LedgerTables['events'], 'reason'> {
  advertiser: string;
}

const withFound = queries.withTables<{ found: FoundTable }>();

/** What was found of an advertiser's month, and nobody else has voided meanwhile. */
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
