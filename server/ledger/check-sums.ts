import type { Database } from 'better-sqlite3';
import { sql, type Compilable } from 'kysely';
import { createCalendar } from '../../models/time/calendar.js';
import { queries } from './database.js';
import { differencesOf } from './differences.js';
import { readKeptFrom } from './installation.js';
import { dayStart, ROLL_UPS, type RollUp } from './roll-ups.js';
import { BILLED, billSums, coarseSums, COLUMNS, defineFunctions, quarterSums, SPEND, spendSums } from './sums.js';

/**
 * Compares all that the ledger sums up with what it is the sum of, of one moment, and changes nothing: counters with events
 * as far back as these are kept, wider counters with finer ones, bills with events and counters, spend with counters.
 *
 * @param database from `openForReading`
 * @param timeZone the installation's
 * @returns a sentence for each difference; empty when all agrees
 */
export function checkSums(database: Database, timeZone: string): string[] {
  const calendar = createCalendar(timeZone);
  defineFunctions(database, calendar);
  const check = (): string[] => {
    const from = readKeptFrom(database);
    return [
      ...damagesOf(database),
      ...checkQuarters(database, from),
      ...ROLL_UPS.filter(({ grain }) => grain !== 'quarter').flatMap((rollUp) => checkCoarse(database, rollUp)),
      ...checkBills(database, from, dayStart(calendar.dateOf(from))),
      ...checkBilledMoney(database),
      ...checkSpend(database),
      ...checkVoided(database, from),
    ];
  };
  return database.transaction(check)();
}

/** What SQLite itself finds wrong with the file. */
function damagesOf(database: Database): string[] {
  const found = database.pragma('quick_check(10)') as { quick_check: string }[];
  const orphans = database.pragma('foreign_key_check') as { table: string }[];
  return [
    ...found.filter(({ quick_check: fault }) => fault !== 'ok').map(({ quick_check: fault }) => `the file: ${fault}`),
    ...[...new Set(orphans.map(({ table }) => table))].map(
      (table) => `${table}: a row refers to one that is not there`,
    ),
  ];
}

const KEY = COLUMNS.slice(0, -2);

function checkQuarters(database: Database, from: number): string[] {
  const { events, voided, minutes } = quarterSums(from);
  const stored = countersOf('quarter').where('start', '>=', from / 60_000);
  return compare(database, 'counters', KEY, ['times', 'micros'], [events, voided, minutes], stored);
}

function checkCoarse(database: Database, rollUp: RollUp): string[] {
  return compare(database, 'counters', KEY, ['times', 'micros'], [coarseSums(rollUp)], countersOf(rollUp.grain));
}

function checkBills(database: Database, from: number, fromDay: number): string[] {
  const stored = queries.selectFrom('billed').where('day', '>=', fromDay).select(BILLED);
  return compare(database, 'billed', BILLED.slice(0, -1), ['times'], [billSums(from)], stored);
}

/** Of all days, also those whose events are no longer kept. */
function checkBilledMoney(database: Database): string[] {
  const counted = countersOf('day-creative')
    .where('reason', '=', '')
    .where('micros', '<>', 0)
    .clearSelect()
    .select(['start', 'dimension_set', 'counted', 'micros']);
  const micros = sql<number>`times * price_micros`.as('micros');
  const billed = queries.selectFrom('billed').select(['day', 'dimension_set', 'kind', micros]);
  return compare(database, 'billed', ['day', 'dimension_set', 'kind'], ['micros'], [counted], billed);
}

function checkSpend(database: Database): string[] {
  const stored = queries.selectFrom('spend').select(SPEND);
  return compare(database, 'spend', SPEND.slice(0, -1), ['micros'], spendSums(), stored);
}

/** Each voided event is one that counted, at the price and in the month that are credited. */
function checkVoided(database: Database, from: number): string[] {
  const columns = ['id', 'kind', 'price_micros'] as const;
  const events = queries
    .selectFrom('events')
    .innerJoin('voided', (join) => join.onRef('voided.id', '=', 'events.id').onRef('voided.kind', '=', 'events.kind'))
    .where('events.at', '>=', from)
    .where('reason', '=', '')
    .select([sql<string>`hex(events.id)`.as('id'), 'events.kind', 'events.price_micros', 'events.month'])
    .select(sql<number>`1`.as('times'));
  const voided = queries
    .selectFrom('voided')
    .where('at', '>=', from)
    .select([sql<string>`hex(id)`.as('id'), 'kind', 'price_micros', 'billed_month', sql<number>`1`.as('times')]);
  return compare(database, 'voided', [...columns, 'billed_month'], ['times'], [events], voided);
}

function countersOf(grain: RollUp['grain']) {
  return queries.selectFrom('counters').where('grain', '=', grain).select(COLUMNS);
}

function compare(
  database: Database,
  table: string,
  keys: readonly string[],
  values: readonly string[],
  derived: readonly Compilable[],
  stored: Compilable,
): string[] {
  return differencesOf(database, { table, keys, values, derived, stored });
}
