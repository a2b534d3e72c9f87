import { sql } from '#kysely';
import { queries, type CalendarSql } from '../tables/ledger-database.js';
import { DETAILS, type RollUp } from '../tables/roll-ups.js';
import { ALL_DAYS, VOIDED } from '../tables/schema.js';
import { MINUTE, QUARTER_HOUR } from '../../../platform/time/durations.js';

/** The columns of the table `counters`. */
export const COLUMNS = ['grain', 'start', 'dimension_set', 'counted', 'reason', 'times', 'micros'] as const;

/** The start of the quarter of an hour of `at`, in minutes since the epoch. */
const QUARTER_START = sql<number>`at / ${sql.lit(QUARTER_HOUR)} * 15`;

/** Sums events, voided events and minutes by quarters of an hour, with columns in the order of `COLUMNS`. */
export function quarterHourSums(from: number) {
  const events = queries
    .selectFrom('events')
    .where('at', '>=', from)
    .select([sql<'quarter'>`'quarter'`.as('grain'), QUARTER_START.as('start')])
    .select(['dimension_set', 'kind', 'reason'])
    .select(({ fn }) => [fn.countAll<number>().as('times'), fn.sum<number>('price_micros').as('micros')])
    .groupBy([QUARTER_START, 'dimension_set', 'kind', 'reason']);
  const voided = queries
    .selectFrom('voided')
    .where('at', '>=', from)
    .select([sql<'quarter'>`'quarter'`.as('grain'), QUARTER_START.as('start')])
    .select(['dimension_set', 'kind', sql.lit(VOIDED).as('reason')])
    .select(({ fn }) => [fn.countAll<number>().as('times'), sql<number>`-sum(price_micros)`.as('micros')])
    .groupBy([QUARTER_START, 'dimension_set', 'kind']);
  const minutes = queries
    .selectFrom('counters')
    .where('grain', '=', 'minute')
    .where('start', '>=', from / MINUTE)
    .select([sql<'quarter'>`'quarter'`.as('grain'), sql<number>`start / 15 * 15`.as('start')])
    .select(['dimension_set', 'counted', 'reason'])
    .select(({ fn }) => [fn.sum<number>('times').as('times'), fn.sum<number>('micros').as('micros')])
    .groupBy([sql`start / 15 * 15`, 'dimension_set', 'counted', 'reason']);
  return { events, voided, minutes };
}

/** Sums finer counters into a coarser roll-up, with columns in the order of `COLUMNS`. */
export function coarseSums({ grain, span, detail }: RollUp, { dayOf }: CalendarSql) {
  const start = grain === 'day' ? dayOf(sql<number>`start`) : sql<number>`start`;
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

/** The columns of the table `billed`. */
export const BILLED = ['month', 'day', 'dimension_set', 'kind', 'price_micros', 'times'] as const;

/** Sums the bills of events from a moment on, with columns in the order of `BILLED`. */
export function billSums(from: number, { dayOf }: CalendarSql) {
  const day = dayOf(sql<number>`at / 60000`);
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

/** The columns of the table `spend`. */
export const SPEND = ['day', 'advertiser', 'campaign', 'creative', 'micros'] as const;

/** Sums the spend of accounts by day and in total, with columns in the order of `SPEND`. */
export function spendSums() {
  return [sql<number>`start`, sql<number>`${sql.lit(ALL_DAYS)}`].map((day) => {
    const advertiser = sql<string>`case when campaign = '' then '' else advertiser end`;
    const creative = sql<string>`case when campaign = '' then creative else '' end`;
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
