import { sql } from '#kysely';
import { createCalendar } from '../../../platform/time/calendar.js';
import { MINUTE } from '../../../platform/time/durations.js';
import { closedBills, refuseOtherBills } from './closed-bills.js';
import { queries, type CalendarSql, type LedgerDatabase } from '../tables/ledger-database.js';
import { readKeptFrom, writeRollUpsVersion } from '../tables/accounting-basis.js';
import { dayStart, DETAILS, ROLL_UPS, type RollUp } from '../tables/roll-ups.js';
import { BILLED, billSums, coarseSums, COLUMNS, quarterHourSums, SPEND, spendSums } from './sums.js';

/**
 * Rebuilds all sums in one transaction: quarters of an hour and bills from the raw events as far back as these are
 * kept, and all coarser counters from the quarters. No other process can write in the meantime.
 *
 * @param timeZone the ledger's
 * @throws ClosedMonthError when a closed month would change; nothing is changed then
 */
export function rebuildRollUps(database: LedgerDatabase, timeZone: string): void {
  const calendar = createCalendar(timeZone);
  const rebuild = (): void => {
    const from = readKeptFrom(database);
    const closed = closedBills(database);
    const days = database.calendarSql(calendar);
    database.run(
      queries
        .updateTable('events')
        .set({ month: days.monthAt(sql`at`) })
        .where('month', '=', 0),
    );
    addCoarseDimensionSets(database);
    sumQuarterHours(database, from);
    for (const rollUp of ROLL_UPS.toReversed()) if (rollUp.grain !== 'quarter') sumCoarse(database, rollUp, days);
    sumBills(database, from, dayStart(calendar.dateOf(from)), days);
    sumSpend(database);
    refuseOtherBills(closed, closedBills(database));
    writeRollUpsVersion(database);
  };
  database.exclusivelyForLong(rebuild);
}

/** Adds the dimension sets that the coarser details need. */
function addCoarseDimensionSets(database: LedgerDatabase): void {
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
    database.run(into.expression(coarse).onConflict((conflict) => conflict.doNothing()));
  }
}

/** @param from epoch milliseconds, the start of a day */
function sumQuarterHours(database: LedgerDatabase, from: number): void {
  const { events, voided, minutes } = quarterHourSums(from);
  const old = queries
    .deleteFrom('counters')
    .where('grain', '=', 'quarter')
    .where('start', '>=', from / MINUTE);
  const sums = queries
    .selectFrom(
      events
        .unionAll(voided as never)
        .unionAll(minutes as never)
        .as('parts'),
    )
    .select(['grain', 'start', 'dimension_set', 'kind', 'reason'])
    .select(({ fn }) => [fn.sum<number>('times').as('times'), fn.sum<number>('micros').as('micros')])
    .groupBy(['grain', 'start', 'dimension_set', 'kind', 'reason']);
  database.run(old);
  database.run(queries.insertInto('counters').columns(COLUMNS).expression(sums));
}

function sumCoarse(database: LedgerDatabase, rollUp: RollUp, days: CalendarSql): void {
  database.run(queries.deleteFrom('counters').where('grain', '=', rollUp.grain));
  database.run(queries.insertInto('counters').columns(COLUMNS).expression(coarseSums(rollUp, days)));
}

function sumBills(database: LedgerDatabase, from: number, fromDay: number, days: CalendarSql): void {
  database.run(queries.deleteFrom('billed').where('day', '>=', fromDay));
  database.run(queries.insertInto('billed').columns(BILLED).expression(billSums(from, days)));
}

function sumSpend(database: LedgerDatabase): void {
  database.run(queries.deleteFrom('spend'));
  for (const sums of spendSums()) database.run(queries.insertInto('spend').columns(SPEND).expression(sums));
}
