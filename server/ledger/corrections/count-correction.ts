import type { Calendar } from '../../../platform/time/calendar.js';
import { QUARTER_HOUR } from '../../../platform/time/durations.js';
import type { Claims } from '../../domain/claims.js';
import { createBatchTotals } from '../tables/batch-totals.js';
import { queries, type LedgerDatabase } from '../tables/ledger-database.js';
import { createSpendTable } from '../spend.js';

/** Counts the events that a correction has voided under their own reason, and returns their price to the budgets. */
export function countCorrection(database: LedgerDatabase, calendar: Calendar, correction: number): void {
  const tables = database.eventTables(calendar);
  const totals = createBatchTotals(calendar);
  const spend = createSpendTable((account, day) => tables.spent(account, day), calendar);
  for (const row of database.readAsNumbers(voidedOf(correction))) {
    const { quarter, publisher, creative, kind, times, micros } = row;
    const [advertiser, campaign] = [row.advertiser || null, row.campaign || null];
    const claims: Claims = { publisher, creative, advertiser, campaign, pricing: null, issuedAt: quarter, test: false };
    totals.addVoided(quarter, tables.dimensionSets.of(claims), kind, times, micros);
    if (micros > 0) spend.charge(claims, quarter, -micros);
  }
  tables.addSums({ counters: totals.counters(), billed: [], spend: spend.charges() });
}

/** Groups by the start of the quarter of an hour, epoch milliseconds, since no day begins within a quarter. */
function voidedOf(correction: number) {
  return queries
    .selectFrom('voided')
    .innerJoin('dimension_sets', 'dimension_sets.dimension_set', 'voided.dimension_set')
    .where('correction', '=', correction)
    .select(({ eb }) => eb(eb('at', '/', eb.lit(QUARTER_HOUR)), '*', eb.lit(QUARTER_HOUR)).as('quarter'))
    .select(['publisher', 'advertiser', 'campaign', 'creative', 'kind'])
    .select(({ fn }) => [fn.countAll<number>().as('times'), fn.sum<number>('price_micros').as('micros')])
    .groupBy(['quarter', 'publisher', 'advertiser', 'campaign', 'creative', 'kind']);
}
