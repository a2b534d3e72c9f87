import { sql } from '#kysely';
import { createCalendar } from '../../../platform/time/calendar.js';
import { MINUTE } from '../../../platform/time/durations.js';
import { queries, type CalendarSql, type LedgerDatabase } from '../tables/ledger-database.js';
import { differencesOf } from './differences.js';
import { readKeptFrom } from '../tables/accounting-basis.js';
import { dayStart, ROLL_UPS, type RollUp } from '../tables/roll-ups.js';
import { BILLED, billSums, coarseSums, COLUMNS, quarterHourSums, SPEND, spendSums } from './sums.js';

/**
 * Compares every sum in the ledger with what it sums up, as of one moment, and changes nothing: counters with events as
 * far back as these are kept, coarser counters with finer ones, bills with events and counters, spend with counters.
 *
 * @param database from `openForReading`
 * @param timeZone the ledger's
 * @returns one sentence per difference; empty when everything agrees
 */
export function checkSums(database: LedgerDatabase, timeZone: string): string[] {
  const calendar = createCalendar(timeZone);
  const check = (): string[] => {
    const from = readKeptFrom(database);
    const days = database.calendarSql(calendar);
    return [
      ...database.findCorruption(),
      ...checkQuarterHours(database, from),
      ...ROLL_UPS.filter(({ grain }) => grain !== 'quarter').flatMap((rollUp) => checkCoarse(database, rollUp, days)),
      ...checkBills(database, from, dayStart(calendar.dateOf(from)), days),
      ...checkBilledMoney(database),
      ...checkSpend(database),
      ...checkVoided(database, from),
    ];
  };
  return database.readConsistently(check);
}

const COUNTERS = { table: 'counters', keys: COLUMNS.slice(0, -2), values: COLUMNS.slice(-2) };

function checkQuarterHours(database: LedgerDatabase, from: number): string[] {
  const { events, voided, minutes } = quarterHourSums(from);
  const stored = countersOf('quarter').where('start', '>=', from / MINUTE);
  return differencesOf(database, { ...COUNTERS, derived: [events, voided, minutes], stored });
}

function checkCoarse(database: LedgerDatabase, rollUp: RollUp, days: CalendarSql): string[] {
  const derived = [coarseSums(rollUp, days)];
  return differencesOf(database, { ...COUNTERS, derived, stored: countersOf(rollUp.grain) });
}

function checkBills(database: LedgerDatabase, from: number, fromDay: number, days: CalendarSql): string[] {
  const stored = queries.selectFrom('billed').where('day', '>=', fromDay).select(BILLED);
  const [keys, derived] = [BILLED.slice(0, -1), [billSums(from, days)]];
  return differencesOf(database, { table: 'billed', keys, values: ['times'], derived, stored });
}

/** Compares the amounts billed with the counters for all days, including those whose events are no longer kept. */
function checkBilledMoney(database: LedgerDatabase): string[] {
  const counted = countersOf('day-creative')
    .where('reason', '=', '')
    .where('micros', '<>', 0)
    .clearSelect()
    .select(['start', 'dimension_set', 'counted', 'micros']);
  const micros = sql<number>`times * price_micros`.as('micros');
  const stored = queries.selectFrom('billed').select(['day', 'dimension_set', 'kind', micros]);
  const keys = ['day', 'dimension_set', 'kind'];
  return differencesOf(database, { table: 'billed', keys, values: ['micros'], derived: [counted], stored });
}

function checkSpend(database: LedgerDatabase): string[] {
  const stored = queries.selectFrom('spend').select(SPEND);
  const keys = SPEND.slice(0, -1);
  return differencesOf(database, { table: 'spend', keys, values: ['micros'], derived: spendSums(), stored });
}

/** Checks that each voided event was counted, with the price and in the month that are credited. */
function checkVoided(database: LedgerDatabase, from: number): string[] {
  const keys = ['id', 'kind', 'price_micros', 'billed_month'];
  const events = queries
    .selectFrom('events')
    .innerJoin('voided', (join) => join.onRef('voided.id', '=', 'events.id').onRef('voided.kind', '=', 'events.kind'))
    .where('events.at', '>=', from)
    .where('reason', '=', '')
    .select([database.sql.hex(sql`events.id`).as('id'), 'events.kind', 'events.price_micros', 'events.month'])
    .select(sql<number>`1`.as('times'));
  const stored = queries
    .selectFrom('voided')
    .where('at', '>=', from)
    .select([database.sql.hex(sql`id`).as('id'), 'kind', 'price_micros', 'billed_month', sql<number>`1`.as('times')]);
  return differencesOf(database, { table: 'voided', keys, values: ['times'], derived: [events], stored });
}

function countersOf(grain: RollUp['grain']) {
  return queries.selectFrom('counters').where('grain', '=', grain).select(COLUMNS);
}
