import Table from 'cli-table3';
import type { Creative } from '../../models/schema/creative.js';
import { decimal } from '../domain/decimal.js';
import type { StoredCampaign } from './campaign-file.js';
import { dateFault } from './campaigns.js';
import type { FeedCampaign } from './feed-campaigns.js';
import type { Spent } from './spending.js';
import { termsOf } from './terms.js';

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

/** Every campaign that the feed names or a command has set, by name. */
export function listCampaigns(
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

/** The list for a person. What was set by command bears an asterisk. */
export function drawCampaigns(campaigns: readonly ListedCampaign[], currency: string): string {
  if (campaigns.length === 0) return 'no campaigns yet; a feed row or npm run campaigns -- set NAME names one';
  const head = ['campaign', 'advertiser', 'state', 'ads', 'price', 'spent', 'budget', 'today', 'daily', 'from', 'to'];
  const table = new Table({ head: [...head, 'pacing', 'cap'], style: { head: [], border: [], compact: true } });
  for (const each of campaigns) {
    const marked = (field: string, value: string): string => `${value}${each.set.includes(field) ? ' *' : ''}`;
    const { pricing, frequencyCap: cap } = each;
    table.push([
      each.name,
      marked('advertiser', each.advertiser ?? '-'),
      marked('paused', each.state),
      each.creatives,
      marked('pricing', pricing === null ? '-' : `${pricing.model} ${money(pricing.micros)}`),
      money(each.spentMicros),
      marked('budgetMicros', each.budgetMicros === null ? '-' : money(each.budgetMicros)),
      money(each.spentTodayMicros),
      marked('dailyBudgetMicros', each.dailyBudgetMicros === null ? '-' : money(each.dailyBudgetMicros)),
      marked('startsAt', each.startsAt?.slice(0, 16) ?? '-'),
      marked('endsAt', each.endsAt?.slice(0, 16) ?? '-'),
      marked('pacing', each.pacing),
      marked('frequencyCap', cap === null ? '-' : `${cap.ads}/${cap.hours}h`),
    ]);
  }
  const note = campaigns.some(({ set }) => set.length > 0) ? `\n* set by command, in place of what the feed says` : '';
  return `${table.toString()}\nMoney in ${currency}, times in UTC.${note}`;
}

function money(micros: number): string {
  return decimal(BigInt(micros), 2);
}
