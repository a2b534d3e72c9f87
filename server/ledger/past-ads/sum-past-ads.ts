import { sql } from '#kysely';
import { accountKey, accountOf } from '../../domain/billing.js';
import { monthOf } from '../../domain/billing-month.js';
import { queries, type LedgerDatabase } from '../tables/ledger-database.js';
import { MINUTE } from '../../../platform/time/durations.js';

/** Counts of ads from before this process started: served and shown by publisher, impressions and clicks by account. */
export interface PastAdCounts {
  readonly shown: ReadonlyMap<string, { readonly served: number; readonly shown: number }>;
  /** Paid clicks only. */
  readonly clicks: ReadonlyMap<string, { readonly impressions: number; readonly clicks: number }>;
}

/** Long enough to estimate a campaign's rates, short enough that its creatives are mostly today's. */
const DAYS = 30;
const DAY_MINUTES = 24 * 60;

/**
 * Sums the ledger's counters of the last thirty days, without test events.
 *
 * @param now epoch milliseconds
 */
export function sumPastAds(database: Pick<LedgerDatabase, 'run'>, now: number): PastAdCounts {
  const since = Math.floor(now / MINUTE) - DAYS * DAY_MINUTES;
  const times = (counted: string) => sql<bigint>`sum(case when counted = ${counted} then times else 0 end)`;
  const sums = queries
    .selectFrom('counters')
    .innerJoin('dimension_sets', 'dimension_sets.dimension_set', 'counters.dimension_set')
    .where('start', '>=', since)
    .where('test', '=', 0)
    .where('reason', 'in', ['', 'over-budget']);
  const ofPublishers = sums
    .where('grain', '=', 'day-publisher')
    .select(['publisher', times('decision').as('served'), times('impression').as('shown')])
    .groupBy('publisher');
  const ofCampaigns = sums
    .where('grain', '=', 'day-creative')
    .where('creative', '!=', '')
    .select(['advertiser', 'campaign', sql<string>`case when campaign = '' then creative else '' end`.as('creative')])
    // Impressions that cost something belong to ads priced per impression.
    .select(sql<bigint>`sum(case when counted = 'impression' and micros = 0 then times else 0 end)`.as('impressions'))
    .groupBy([sql`1`, sql`2`, sql`3`]);
  const paidClicks = queries
    .selectFrom('billed')
    .innerJoin('dimension_sets', 'dimension_sets.dimension_set', 'billed.dimension_set')
    // No event is billed in an earlier month than its own. The key begins with the month, so that only rows of the last
    // months are read.
    .where('month', '>=', monthOf(new Date(since * MINUTE).toISOString()))
    .where('day', '>=', since)
    .where('kind', '=', 'click')
    .select(['advertiser', 'campaign', sql<string>`case when campaign = '' then creative else '' end`.as('creative')])
    .select(({ fn }) => fn.sum<bigint>('times').as('clicks'))
    .groupBy([sql`1`, sql`2`, sql`3`]);
  const keyOf = (names: { advertiser: string; campaign: string; creative: string }): string =>
    accountKey(accountOf({ ...names, campaign: names.campaign || null }));
  const clicks = new Map(database.run(paidClicks).map(({ clicks: paid, ...names }) => [keyOf(names), Number(paid)]));
  return {
    shown: new Map(
      database
        .run(ofPublishers)
        .map(({ publisher, served, shown }) => [publisher, { served: Number(served), shown: Number(shown) }]),
    ),
    clicks: new Map(
      database.run(ofCampaigns).map(({ impressions, ...names }) => {
        const key = keyOf(names);
        return [key, { impressions: Number(impressions), clicks: clicks.get(key) ?? 0 }];
      }),
    ),
  };
}
