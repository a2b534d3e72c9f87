import { sql } from 'kysely';
import { createCalendar } from '../../../platform/time/calendar.js';
import { queries, type CalendarSql, type LedgerDatabase, type Query } from '../tables/ledger-database.js';
import { differencesOf } from './differences.js';
import { readKeptFrom } from '../tables/accounting-basis.js';
import { dayStart, ROLL_UPS, type RollUp } from '../tables/roll-ups.js';
import { BILLED, billSums, coarseSums, COLUMNS, quarterSums, SPEND, spendSums } from './sums.js';

/**
 * Compares all that the ledger sums up with what it is the sum of, of one moment, and changes nothing: counters with events
 * as far back as these are kept, wider counters with finer ones, bills with events and counters, spend with counters.
 *
 * @param database from `openForReading`
 * @param timeZone the installation's
 * @returns a sentence for each difference; empty when all agrees
 */
export function checkSums(database: LedgerDatabase, timeZone: string): string[] {
  const calendar = createCalendar(timeZone);
  const check = (): string[] => {
    const from = readKeptFrom(database);
    const days = database.calendarSql(calendar);
    return [
      ...database.damages(),
      ...checkQuarters(database, from),
      ...ROLL_UPS.filter(({ grain }) => grain !== 'quarter').flatMap((rollUp) => checkCoarse(database, rollUp, days)),
      ...checkBills(database, from, dayStart(calendar.dateOf(from)), days),
      ...checkBilledMoney(database),
      ...checkSpend(database),
      ...checkVoided(database, from),
    ];
  };
  return database.atOnce(check);
}

const KEY = COLUMNS.slice(0, -2);

function checkQuarters(database: LedgerDatabase, from: number): string[] {
  const { events, voided, minutes } = quarterSums(from);
  const stored = countersOf('quarter').where('start', '>=', from / 60_000);
  return compare(database, 'counters', KEY, ['times', 'micros'], [events, voided, minutes], stored);
}

function checkCoarse(database: LedgerDatabase, rollUp: RollUp, days: CalendarSql): string[] {
  return compare(database, 'counters', KEY, ['times', 'micros'], [coarseSums(rollUp, days)], countersOf(rollUp.grain));
}

function checkBills(database: LedgerDatabase, from: number, fromDay: number, days: CalendarSql): string[] {
  const stored = queries.selectFrom('billed').where('day', '>=', fromDay).select(BILLED);
  return compare(database, 'billed', BILLED.slice(0, -1), ['times'], [billSums(from, days)], stored);
}

/** Of all days, also those whose events are no longer kept. */
function checkBilledMoney(database: LedgerDatabase): string[] {
  const counted = countersOf('day-creative')
    .where('reason', '=', '')
    .where('micros', '<>', 0)
    .clearSelect()
    .select(['start', 'dimension_set', 'counted', 'micros']);
  const micros = sql<number>`times * price_micros`.as('micros');
  const billed = queries.selectFrom('billed').select(['day', 'dimension_set', 'kind', micros]);
  return compare(database, 'billed', ['day', 'dimension_set', 'kind'], ['micros'], [counted], billed);
}

function checkSpend(database: LedgerDatabase): string[] {
  const stored = queries.selectFrom('spend').select(SPEND);
  return compare(database, 'spend', SPEND.slice(0, -1), ['micros'], spendSums(), stored);
}

/** Each voided event is one that counted, at the price and in the month that are credited. */
function checkVoided(database: LedgerDatabase, from: number): string[] {
  const columns = ['id', 'kind', 'price_micros'] as const;
  const events = queries
    .selectFrom('events')
    .innerJoin('voided', (join) => join.onRef('voided.id', '=', 'events.id').onRef('voided.kind', '=', 'events.kind'))
    .where('events.at', '>=', from)
    .where('reason', '=', '')
    .select([database.sql.hex(sql`events.id`).as('id'), 'events.kind', 'events.price_micros', 'events.month'])
    .select(sql<number>`1`.as('times'));
  const voided = queries
    .selectFrom('voided')
    .where('at', '>=', from)
    .select([database.sql.hex(sql`id`).as('id'), 'kind', 'price_micros', 'billed_month', sql<number>`1`.as('times')]);
  return compare(database, 'voided', [...columns, 'billed_month'], ['times'], [events], voided);
}

function countersOf(grain: RollUp['grain']) {
  return queries.selectFrom('counters').where('grain', '=', grain).select(COLUMNS);
}

function compare(
  database: LedgerDatabase,
  table: string,
  keys: readonly string[],
  values: readonly string[],
  derived: readonly Query[],
  stored: Query,
): string[] {
  return differencesOf(database, { table, keys, values, derived, stored });
}
