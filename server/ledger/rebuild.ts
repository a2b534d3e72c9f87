import type { Database } from 'better-sqlite3';
import { sql } from 'kysely';
import { monthOf } from '../domain/billing.js';
import { createCalendar, type Calendar } from '../../models/time/calendar.js';
import { closedBills, refuseOtherBills } from './closed-bills.js';
import { queries, run } from './database.js';
import { readKeptFrom, writeRollUpsVersion } from './installation.js';
import { dayStart, DETAILS, ROLL_UPS, type RollUp } from './roll-ups.js';
import { ALL_DAYS, VOIDED } from './schema.js';

/**
 * Sums everything up anew, in one transaction: quarters of an hour and bills from the raw events as far back as these are
 * kept, all wider and coarser counters from the quarters. Nothing else can be written meanwhile.
 *
 * @param timeZone the installation's
 * @throws ClosedMonthError when a closed month would change; nothing is changed then
 */
export function rebuildRollUps(database: Database, timeZone: string): void {
  const calendar = createCalendar(timeZone);
  defineFunctions(database, calendar);
  const rebuild = (): void => {
    const from = readKeptFrom(database);
    const closed = closedBills(database);
    run(
      database,
      queries
        .updateTable('events')
        .set({ month: sql`month_at(at)` })
        .where('month', '=', 0),
    );
    addCoarseDimensionSets(database);
    sumQuarters(database, from);
    for (const rollUp of ROLL_UPS.toReversed()) if (rollUp.grain !== 'quarter') sumCoarse(database, rollUp);
    sumBills(database, from, dayOf(calendar, from / 60_000));
    sumSpend(database);
    refuseOtherBills(closed, closedBills(database));
    writeRollUpsVersion(database);
  };
  database.transaction(rebuild).immediate();
}

function dayOf(calendar: Calendar, minute: number): number {
  return dayStart(calendar.dateOf(minute * 60_000));
}

/** The functions that the sums below call: `month_at` of a moment, `day_of` of a minute. */
export function defineFunctions(database: Database, calendar: Calendar): void {
  const pure = { deterministic: true, safeIntegers: false };
  database.function('month_at', pure, (at) => monthOf(calendar.dateOf(at as number)));
  database.function('day_of', pure, (minute) => dayOf(calendar, minute as number));
}

function addCoarseDimensionSets(database: Database): void {
  for (const kept of Object.values(DETAILS)) {
    const columns = ['publisher', 'advertiser', 'campaign', 'creative'] as const;
    const shown = columns.map((name) =>
      (kept as readonly string[]).includes(name) ? sql<string>`${sql.ref(name)}`.as(name) : sql<string>`''`.as(name),
    );
    const coarse = queries
      .selectFrom('dimension_sets')
      .select(shown)
      .select('test')
      .distinct()
      .where(sql<boolean>`true`);
    const into = queries.insertInto('dimension_sets').columns([...columns, 'test']);
    run(
      database,
      into.expression(coarse).onConflict((conflict) => conflict.doNothing()),
    );
  }
}

/** Of the table `counters`. */
export const COLUMNS = ['grain', 'start', 'dimension_set', 'counted', 'reason', 'times', 'micros'] as const;

/** What the counters of quarters of an hour hold, from events, what was voided of them, and minutes; in the order of `COLUMNS`. */
export function quarterSums(from: number) {
  const events = queries
    .selectFrom('events')
    .where('at', '>=', from)
    .select([sql<'quarter'>`'quarter'`.as('grain'), sql<number>`at / 900000 * 15`.as('start')])
    .select(['dimension_set', 'kind', 'reason'])
    .select(({ fn }) => [fn.countAll<number>().as('times'), fn.sum<number>('price_micros').as('micros')])
    .groupBy([sql`at / 900000 * 15`, 'dimension_set', 'kind', 'reason']);
  const voided = queries
    .selectFrom('voided')
    .where('at', '>=', from)
    .select([sql<'quarter'>`'quarter'`.as('grain'), sql<number>`at / 900000 * 15`.as('start')])
    .select(['dimension_set', 'kind', sql.lit(VOIDED).as('reason')])
    .select(({ fn }) => [fn.countAll<number>().as('times'), sql<number>`-sum(price_micros)`.as('micros')])
    .groupBy([sql`at / 900000 * 15`, 'dimension_set', 'kind']);
  const minutes = queries
    .selectFrom('counters')
    .where('grain', '=', 'minute')
    .where('start', '>=', from / 60_000)
    .select([sql<'quarter'>`'quarter'`.as('grain'), sql<number>`start / 15 * 15`.as('start')])
    .select(['dimension_set', 'counted', 'reason'])
    .select(({ fn }) => [fn.sum<number>('times').as('times'), fn.sum<number>('micros').as('micros')])
    .groupBy([sql`start / 15 * 15`, 'dimension_set', 'counted', 'reason']);
  return { events, voided, minutes };
}

/** @param from epoch milliseconds, the start of a day */
function sumQuarters(database: Database, from: number): void {
  const { events, voided, minutes } = quarterSums(from);
  const into = queries.insertInto('counters').columns(COLUMNS);
  run(
    database,
    queries
      .deleteFrom('counters')
      .where('grain', '=', 'quarter')
      .where('start', '>=', from / 60_000),
  );
  run(database, into.expression(events));
  run(database, into.expression(voided));
  run(
    database,
    into.expression(minutes).onConflict((conflict) =>
      conflict.columns(['grain', 'start', 'dimension_set', 'counted', 'reason']).doUpdateSet((build) => ({
        times: build('counters.times', '+', build.ref('excluded.times')),
        micros: build('counters.micros', '+', build.ref('excluded.micros')),
      })),
    ),
  );
}

/** What a wider or coarser roll-up holds, from finer counters; in the order of `COLUMNS`. */
export function coarseSums({ grain, span, detail }: RollUp) {
  const start = grain === 'day' ? sql<number>`day_of(start)` : sql<number>`start`;
  return queries
    .selectFrom('counters')
    .innerJoin('dimension_sets as fine', 'fine.dimension_set', 'counters.dimension_set')
    .innerJoin('dimension_sets as coarse', (join) => {
      let on = join.onRef('coarse.test', '=', 'fine.test');
      for (const name of DETAILS.full) {
        const kept = (DETAILS[detail] as readonly string[]).includes(name);
        on = kept ? on.onRef(`coarse.${name}`, '=', `fine.${name}`) : on.on(`coarse.${name}`, '=', '');
      }
      return on;
    })
    .where('grain', '=', span === 'day' && grain !== 'day' ? 'day' : 'quarter')
    .select([sql.lit(grain).as('grain'), start.as('start'), 'coarse.dimension_set', 'counted', 'reason'])
    .select(({ fn }) => [fn.sum<number>('times').as('times'), fn.sum<number>('micros').as('micros')])
    .groupBy([start, 'coarse.dimension_set', 'counted', 'reason']);
}

function sumCoarse(database: Database, rollUp: RollUp): void {
  run(database, queries.deleteFrom('counters').where('grain', '=', rollUp.grain));
  run(database, queries.insertInto('counters').columns(COLUMNS).expression(coarseSums(rollUp)));
}

/** Of the table `billed`. */
export const BILLED = ['month', 'day', 'dimension_set', 'kind', 'price_micros', 'times'] as const;

/** What is billed of events from a moment on; in the order of `BILLED`. */
export function billSums(from: number) {
  const day = sql<number>`day_of(at / 60000)`;
  return queries
    .selectFrom('events')
    .innerJoin('dimension_sets as fine', 'fine.dimension_set', 'events.dimension_set')
    .innerJoin('dimension_sets as coarse', (join) =>
      join
        .on('coarse.publisher', '=', '')
        .onRef('coarse.advertiser', '=', 'fine.advertiser')
        .onRef('coarse.campaign', '=', 'fine.campaign')
        .onRef('coarse.creative', '=', 'fine.creative')
        .onRef('coarse.test', '=', 'fine.test'),
    )
    .where('at', '>=', from)
    .where('price_micros', '>', 0)
    .select(['month', day.as('day'), 'coarse.dimension_set', 'kind', 'price_micros'])
    .select(({ fn }) => fn.countAll<number>().as('times'))
    .groupBy(['month', day, 'coarse.dimension_set', 'kind', 'price_micros']);
}

function sumBills(database: Database, from: number, fromDay: number): void {
  run(database, queries.deleteFrom('billed').where('day', '>=', fromDay));
  run(database, queries.insertInto('billed').columns(BILLED).expression(billSums(from)));
}

/** Of the table `spend`. */
export const SPEND = ['day', 'advertiser', 'campaign', 'creative', 'micros'] as const;

/** What accounts have spent, by day and in all; in the order of `SPEND`. */
export function spendSums() {
  return [sql<number>`start`, sql<number>`${sql.lit(ALL_DAYS)}`].map((day) => {
    const advertiser = sql<string>`iif(campaign = '', '', advertiser)`;
    const creative = sql<string>`iif(campaign = '', creative, '')`;
    return queries
      .selectFrom('counters')
      .innerJoin('dimension_sets', 'dimension_sets.dimension_set', 'counters.dimension_set')
      .where('grain', '=', 'day-creative')
      .where('micros', '<>', 0)
      .select([day.as('day'), advertiser.as('advertiser'), 'campaign', creative.as('creative')])
      .select(({ fn }) => fn.sum<number>('micros').as('micros'))
      .groupBy([sql`1`, sql`2`, sql`3`, sql`4`]);
  });
}

function sumSpend(database: Database): void {
  run(database, queries.deleteFrom('spend'));
  for (const sums of spendSums()) run(database, queries.insertInto('spend').columns(SPEND).expression(sums));
}
