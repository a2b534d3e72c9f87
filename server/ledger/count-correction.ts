import type { Database } from 'better-sqlite3';
import type { Calendar } from '../../models/time/calendar.js';
import type { Claims } from '../domain/claims.js';
import { createBatchTotals } from './batch-totals.js';
import { queries } from './database.js';
import { createDimensionSetIds } from './dimension-sets.js';
import type { Counted } from './schema.js';
import { createSpendTable } from './spend.js';
import { prepareStatements } from './statements.js';

/** Writes what a correction has voided into the counters, beside what they held, and gives its price back to the budgets. */
export function countCorrection(database: Database, calendar: Calendar, correction: number): void {
  const statements = prepareStatements(database);
  const dimensionSets = createDimensionSetIds(statements);
  const totals = createBatchTotals(calendar);
  const spend = createSpendTable(database, calendar);
  const query = voidedOf.compile();
  spend.open();
  for (const row of database.prepare<[number], Row>(query.sql).safeIntegers(false).all(correction)) {
    const { quarter, publisher, creative, kind, times, micros } = row;
    const [advertiser, campaign] = [row.advertiser || null, row.campaign || null];
    const claims: Claims = { publisher, creative, advertiser, campaign, pricing: null, issuedAt: quarter, test: false };
    totals.addVoided(quarter, dimensionSets.of(claims), kind, times, micros);
    if (micros > 0) spend.charge(claims, quarter, -micros);
  }
  for (const cell of totals.counters()) statements.addToCounter.run(...cell);
  spend.write();
}

interface Row {
  /** Epoch milliseconds at which a quarter of an hour starts, which no day's start divides. */
  readonly quarter: number;
  readonly publisher: string;
  readonly advertiser: string;
  readonly campaign: string;
  readonly creative: string;
  readonly kind: Exclude<Counted, 'decision'>;
  readonly times: number;
  readonly micros: number;
}

const voidedOf = queries
  .selectFrom('voided')
  .innerJoin('dimension_sets', 'dimension_sets.dimension_set', 'voided.dimension_set')
  .where('correction', '=', 0)
  .select(({ eb }) => eb(eb('at', '/', eb.lit(900_000)), '*', eb.lit(900_000)).as('quarter'))
  .select(['publisher', 'advertiser', 'campaign', 'creative', 'kind'])
  .select(({ fn }) => [fn.countAll().as('times'), fn.sum('price_micros').as('micros')])
  .groupBy(['quarter', 'publisher', 'advertiser', 'campaign', 'creative', 'kind']);
