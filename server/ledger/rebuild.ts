import type { Database } from 'better-sqlite3';
import { sql } from 'kysely';
import { monthOf } from '../domain/billing.js';
import { createCalendar, type Calendar } from '../../models/time/calendar.js';
import { queries, run } from './database.js';
import { readKeptFrom, writeRollUpsVersion } from './installation.js';
import { dayStart, DETAILS, ROLL_UPS, type RollUp } from './roll-ups.js';
import { ALL_DAYS } from './schema.js';

/**
 * Sums everything up anew, in one transaction: quarters of an hour and bills from the raw events as far back as these are
 * kept, all wider and coarser counters from the quarters. Nothing else can be written meanwhile.
 *
 * @param timeZone the installation's
 */
export function rebuildRollUps(database: Database, timeZone: string): void {
  const calendar = createCalendar(timeZone);
  defineFunctions(database, calendar);
  const rebuild = (): void => {
    const from = readKeptFrom(database);
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
    writeRollUpsVersion(database);
  };
  database.transaction(rebuild).immediate();
}

const dayOf = (calendar: Calendar, minute: number): number => dayStart(calendar.dateOf(minute * 60_000));

function defineFunctions(database: Database, calendar: Calendar): void {
  const pure = { deterministic: true };
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

const COLUMNS = ['grain', 'start', 'dimension_set', 'counted', 'reason', 'times', 'micros'] as const;

/** @param from epoch milliseconds, the start of a day */
function sumQuarters(database: Database, from: number): void {
  const events = queries
    .selectFrom('events')
    .where('at', '>=', from)
    .select([sql<'quarter'>`'quarter'`.as('grain'), sql<number>`at / 900000 * 15`.as('start')])
    .select(['dimension_set', 'kind', 'reason'])
    .select(({ fn }) => [fn.countAll<number>().as('times'), fn.sum<number>('price_micros').as('micros')])
    .groupBy([sql`at / 900000 * 15`, 'dimension_set', 'kind', 'reason']);
  const minutes = queries
    .selectFrom('counters')
    .where('grain', '=', 'minute')
    .where('start', '>=', from / 60_000)
    .select([sql<'quarter'>`'quarter'`.as('grain'), sql<number>`start / 15 * 15`.as('start')])
    .select(['dimension_set', 'counted', 'reason'])
    .select(({ fn }) => [fn.sum<number>('times').as('times'), fn.sum<number>('micros').as('micros')])
    .groupBy([sql`start / 15 * 15`, 'dimension_set', 'counted', 'reason']);
  const into = queries.insertInto('counters').columns(COLUMNS);

  run(
    database,
    queries
      .deleteFrom('counters')
      .where('grain', '=', 'quarter')
      .where('start', '>=', from / 60_000),
  );
  run(database, into.expression(events));
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

function sumCoarse(database: Database, { grain, span, detail }: RollUp): void {
  const start = grain === 'day' ? sql<number>`day_of(start)` : sql<number>`start`;
  const sums = queries
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
  run(database, queries.deleteFrom('counters').where('grain', '=', grain));
  run(database, queries.insertInto('counters').columns(COLUMNS).expression(sums));
}

function sumBills(database: Database, from: number, fromDay: number): void {
  const day = sql<number>`day_of(at / 60000)`;
  const bills = queries
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
  const columns = ['month', 'day', 'dimension_set', 'kind', 'price_micros', 'times'] as const;
  run(database, queries.deleteFrom('billed').where('day', '>=', fromDay));
  run(database, queries.insertInto('billed').columns(columns).expression(bills));
}

function sumSpend(database: Database): void {
  run(database, queries.deleteFrom('spend'));
  for (const day of [sql<number>`start`, sql<number>`${sql.lit(ALL_DAYS)}`]) {
    const advertiser = sql<string>`iif(campaign = '', '', advertiser)`;
    const creative = sql<string>`iif(campaign = '', creative, '')`;
    const sums = queries
      .selectFrom('counters')
      .innerJoin('dimension_sets', 'dimension_sets.dimension_set', 'counters.dimension_set')
      .where('grain', '=', 'day-creative')
      .where('micros', '>', 0)
      .select([day.as('day'), advertiser.as('advertiser'), 'campaign', creative.as('creative')])
      .select(({ fn }) => fn.sum<number>('micros').as('micros'))
      .groupBy([sql`1`, sql`2`, sql`3`, sql`4`]);
    const columns = ['day', 'advertiser', 'campaign', 'creative', 'micros'] as const;
    run(database, queries.insertInto('spend').columns(columns).expression(sums));
  }
}
