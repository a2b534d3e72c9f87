import type { Database } from 'better-sqlite3';
import { sql } from 'kysely';
import { createCalendar } from '../../models/time/calendar.js';
import { closedBills, refuseOtherBills } from './closed-bills.js';
import { queries, run } from './database.js';
import { readKeptFrom, writeRollUpsVersion } from './installation.js';
import { dayStart, DETAILS, ROLL_UPS, type RollUp } from './roll-ups.js';
import { BILLED, billSums, coarseSums, COLUMNS, defineFunctions, quarterSums, SPEND, spendSums } from './sums.js';

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
    sumBills(database, from, dayStart(calendar.dateOf(from)));
    sumSpend(database);
    refuseOtherBills(closed, closedBills(database));
    writeRollUpsVersion(database);
  };
  database.transaction(rebuild).immediate();
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

function sumCoarse(database: Database, rollUp: RollUp): void {
  run(database, queries.deleteFrom('counters').where('grain', '=', rollUp.grain));
  run(database, queries.insertInto('counters').columns(COLUMNS).expression(coarseSums(rollUp)));
}

function sumBills(database: Database, from: number, fromDay: number): void {
  run(database, queries.deleteFrom('billed').where('day', '>=', fromDay));
  run(database, queries.insertInto('billed').columns(BILLED).expression(billSums(from)));
}

function sumSpend(database: Database): void {
  run(database, queries.deleteFrom('spend'));
  for (const sums of spendSums()) run(database, queries.insertInto('spend').columns(SPEND).expression(sums));
}
