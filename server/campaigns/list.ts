import { join } from 'node:path';
import type { Creative } from '../../models/schema/creative.js';
import { createCalendar, type Calendar } from '../../models/time/calendar.js';
import type { Config } from '../config/config.js';
import { accountKey } from '../domain/billing.js';
import { LEDGER_FILE, openForReading } from '../ledger/database.js';
import { createSpendTable } from '../ledger/spend.js';
import type { StoredCampaign } from './campaign-file.js';
import { readFeedCampaigns, type FeedCampaign } from './feed-campaigns.js';
import type { Spent } from './spending.js';
import { dateFault, termsOf } from './terms.js';

/** One campaign with the terms that hold, where each comes from, and what it has spent. */
export interface ListedCampaign extends Pick<
  Creative,
  'advertiser' | 'pricing' | 'budgetMicros' | 'dailyBudgetMicros' | 'startsAt' | 'endsAt' | 'frequencyCap'
> {
  readonly name: string;
  readonly pacing: 'even' | 'asap';
  readonly state: 'running' | 'paused' | 'not-started' | 'ended' | 'budget-spent' | 'daily-budget-spent';
  /** Creatives of the live snapshot. */
  readonly creatives: number;
  readonly spentMicros: number;
  readonly spentTodayMicros: number;
  /** Fields set by command, over the feed's. */
  readonly set: readonly string[];
}

/** Stands for a campaign that no creative names. */
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
 * Every campaign that the live snapshot names or a command has set, by name, as it stands on the disk beside a server that
 * writes it.
 *
 * @param set what was set by command
 * @param now epoch milliseconds
 * @throws SnapshotFaultError, LedgerRefusedError when what is stored cannot be read
 */
export async function readCampaigns(
  { dataDir, timeZone }: Pick<Config, 'dataDir' | 'timeZone'>,
  set: readonly StoredCampaign[],
  now: number,
): Promise<ListedCampaign[]> {
  const spentBy = readSpent(join(dataDir, LEDGER_FILE), createCalendar(timeZone), now);
  return listCampaigns(await readFeedCampaigns(dataDir), set, spentBy, now);
}

function listCampaigns(
  feed: ReadonlyMap<string, FeedCampaign>,
  set: readonly StoredCampaign[],
  spentBy: (campaign: string) => Spent,
  now: number,
): ListedCampaign[] {
  const names = [...new Set([...feed.keys(), ...set.map(({ name }) => name)])].toSorted();
  return names.map((name) => {
    const stored = set.find((each) => each.name === name);
    const { creative = NO_CREATIVE, creatives = 0 } = feed.get(name) ?? {};
    const terms = termsOf(creative, stored);
    const { advertiser, pricing, budgetMicros, dailyBudgetMicros, startsAt, endsAt, frequencyCap } = terms.creative;
    const spent = spentBy(name);
    const { name: _, ...fields } = stored ?? { name };
    return {
      name,
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
        : (dateFault(terms.startsAt, terms.endsAt, now) ?? spentOut(terms.creative, spent)),
      creatives,
      spentMicros: spent.total,
      spentTodayMicros: spent.today,
      set: Object.keys(fields),
    };
  });
}

function spentOut({ budgetMicros, dailyBudgetMicros }: Creative, { total, today }: Spent) {
  if (budgetMicros !== null && total >= budgetMicros) return 'budget-spent';
  return dailyBudgetMicros !== null && today >= dailyBudgetMicros ? 'daily-budget-spent' : 'running';
}

function readSpent(file: string, calendar: Calendar, now: number): (campaign: string) => Spent {
  const database = openForReading(file);
  try {
    const accounts = createSpendTable(database.defaultSafeIntegers(false), calendar).read(now);
    const spent = new Map(accounts.map((account) => [accountKey(account), account]));
    return (campaign) => spent.get(accountKey({ campaign, creative: '' })) ?? { total: 0, today: 0 };
  } finally {
    database.close();
  }
}
