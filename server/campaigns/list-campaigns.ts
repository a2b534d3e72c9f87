import type { Creative } from '../../models/schema/creative.js';
import { createCalendar, type Calendar } from '../../platform/time/calendar.js';
import type { Config } from '../config/config.js';
import { accountKey } from '../domain/billing.js';
import { ledgerLocation, openForReading, type LedgerLocation } from '../ledger/database.js';
import { readSpending } from '../ledger/spend.js';
import type { Spend } from '../ledger/tables/ledger.js';
import type { Takedown } from '../takedown/takedown-file.js';
import type { StoredCampaign } from './terms/campaign-file.js';
import { campaignsOf, readFeedCampaigns, type FeedCampaign } from './terms/feed-campaigns.js';
import { spentBudget } from './budgets/budget-check.js';
import { type DateIneligibility, dateIneligibility, storedFor, termsOf } from './terms/terms.js';

/** A campaign with the terms in force, where each comes from, and its spend. */
export interface ListedCampaign extends Pick<
  Creative,
  'advertiser' | 'pricing' | 'budgetMicros' | 'dailyBudgetMicros' | 'startsAt' | 'endsAt' | 'frequencyCap'
> {
  readonly name: string;
  /** The advertiser, by the feed; absent: no feed names the campaign, and no advertiser was given. */
  readonly of?: string | null;
  readonly pacing: 'even' | 'asap';
  /** `running`, or the first reason why none of its ads is served. */
  readonly state: CampaignState;
  /** Number of its creatives in the live snapshot. */
  readonly creatives: number;
  /** How many of them are taken down. */
  readonly takenDown: number;
  /** The feed's sources that name it; empty: the default source alone, or none. */
  readonly sources: readonly string[];
  readonly spentMicros: number;
  readonly spentTodayMicros: number;
  /** Fields that commands have set in place of the feed's. */
  readonly set: readonly string[];
}

export type CampaignState = 'running' | 'paused' | DateIneligibility | NoCreative | SpentBudget;

/** All its creatives are taken down, or the live snapshot has none. */
type NoCreative = 'taken-down' | 'no-creatives';
type SpentBudget = NonNullable<ReturnType<typeof spentBudget>>;

/** What commands and the dashboard have set. */
export interface StoredRules {
  /** Terms set in place of the feed's. */
  readonly campaigns: readonly StoredCampaign[];
  readonly takedowns: readonly Pick<Takedown, 'id'>[];
}

/** Placeholder for a campaign that no creative names. */
const NO_CREATIVE: Creative = {
  id: '-',
  name: '-',
  text: null,
  landingUrl: '',
  imageFile: null,
  advertiser: null,
  campaign: null,
  categories: [],
  startsAt: null,
  endsAt: null,
  pricing: null,
  budgetMicros: null,
  dailyBudgetMicros: null,
  frequencyCap: null,
};

/**
 * Lists every campaign that the live snapshot names or a command has set, sorted by name. Reads the stored state, which
 * a running server may be writing.
 *
 * @param now epoch milliseconds
 * @param spend spend per account; by default it is read, which waits for the ledger
 * @param creatives of the live snapshot, if the caller has them in memory; by default they are read
 * @throws SnapshotFaultError, LedgerRefusedError when what is stored cannot be read
 */
export async function readCampaigns(
  { timeZone, ...config }: Pick<Config, 'dataDir' | 'databaseUrl' | 'timeZone'>,
  { campaigns: set, takedowns }: StoredRules,
  now: number,
  spend = readSpend(ledgerLocation(config), createCalendar(timeZone), now),
  creatives?: readonly Creative[],
): Promise<ListedCampaign[]> {
  const takenDown = new Set(takedowns.map(({ id }) => id));
  const feed = await (creatives === undefined
    ? readFeedCampaigns(config.dataDir, takenDown)
    : campaignsOf(creatives, takenDown));
  return listCampaigns(feed, set, spend, now);
}

function listCampaigns(
  feed: readonly FeedCampaign[],
  set: readonly StoredCampaign[],
  spend: readonly Spend[],
  now: number,
): ListedCampaign[] {
  const setByName = groupBy(set, ({ name }) => name);
  const storedOf = ({ campaign, advertiser }: Creative) => storedFor(setByName.get(campaign ?? '') ?? [], advertiser);
  const inFeed = feed.map((each) => ({ ...each, stored: storedOf(each.creative), of: each.creative.advertiser }));
  const used = new Set(inFeed.map(({ stored }) => stored));
  const others = set
    .filter((stored) => !used.has(stored))
    .map((stored) => {
      const creative = { ...NO_CREATIVE, campaign: stored.name, advertiser: stored.of ?? null };
      return { creative, creatives: 0, takenDown: 0, sources: [], stored, of: stored.of };
    });
  const spent: SpendIndex = {
    ofName: groupBy(spend, ({ campaign }) => campaign),
    ofAccount: groupBy(spend, accountKey),
  };
  return [...inFeed, ...others].map((each) => toListed(each, spent, now)).toSorted(byName);
}

/** Spend by campaign name and by account, so that each of thousands of campaigns finds its own at once. */
interface SpendIndex {
  readonly ofName: ReadonlyMap<string, readonly Spend[]>;
  readonly ofAccount: ReadonlyMap<string, readonly Spend[]>;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

interface Known extends FeedCampaign {
  readonly stored: StoredCampaign | undefined;
  readonly of: string | null | undefined;
}

function toListed({ creative: feed, stored, of, ...counts }: Known, spend: SpendIndex, now: number) {
  const terms = termsOf(feed, stored);
  const { advertiser, pricing, budgetMicros, dailyBudgetMicros, startsAt, endsAt, frequencyCap } = terms.creative;
  const name = feed.campaign ?? '';
  // The payer of a campaign that no feed names is unknown: the spend of all campaigns of its name counts.
  const hasUnknownPayer = of === undefined && advertiser === null;
  const paid = (hasUnknownPayer ? spend.ofName.get(name) : spend.ofAccount.get(terms.account)) ?? [];
  const spent = {
    total: paid.reduce((sum, { total }) => sum + total, 0),
    today: paid.reduce((sum, { today }) => sum + today, 0),
  };
  const { name: _, of: __, ...fields } = stored ?? { name };
  const owner = of === undefined ? {} : { of };
  return {
    name,
    ...owner,
    advertiser,
    pricing,
    budgetMicros,
    dailyBudgetMicros,
    startsAt,
    endsAt,
    frequencyCap,
    pacing: terms.pacing,
    state: terms.paused
      ? 'paused'
      : (dateIneligibility(terms.startsAt, terms.endsAt, now) ??
        withoutCreative(counts) ??
        spentBudget(terms.creative, spent) ??
        'running'),
    ...counts,
    spentMicros: spent.total,
    spentTodayMicros: spent.today,
    set: Object.keys(fields),
  } as const;
}

function withoutCreative({ creatives, takenDown }: Pick<FeedCampaign, 'creatives' | 'takenDown'>): NoCreative | null {
  if (creatives > takenDown) return null;
  return creatives === 0 ? 'no-creatives' : 'taken-down';
}

function byName(one: ListedCampaign, other: ListedCampaign): number {
  const [left, right] = [one, other].map(({ name, of }) => `${name}\n${of ?? ''}`) as [string, string];
  return left < right ? -1 : Number(left > right);
}

function readSpend(location: LedgerLocation, calendar: Calendar, now: number): readonly Spend[] {
  const database = openForReading(location);
  try {
    return readSpending(database, calendar, now);
  } finally {
    database.close();
  }
}
