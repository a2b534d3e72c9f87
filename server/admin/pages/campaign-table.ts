import type { CampaignState } from '../../campaigns/list-campaigns.js';
import { filterParameters } from '../query/page-query.js';
import type { Days } from '../query/period.js';
import { filtersFor } from './campaign-figures.js';
import type { CampaignColumn, CampaignOrder, CampaignRow } from './campaign-order.js';
import { sortableColumn } from './sortable-column.js';

/** The heads of a table of campaigns; those without a name cannot be sorted by. */
const COLUMNS: readonly {
  readonly name?: CampaignColumn;
  readonly title: string;
  readonly note?: string;
  readonly number?: boolean;
}[] = [
  { name: 'name', title: 'Campaign' },
  { title: 'State' },
  { title: 'Price' },
  { title: 'Spent of budget', note: 'after credits' },
  { name: 'impressions', title: 'Impressions', note: 'in the period', number: true },
  { name: 'clicks', title: 'Clicks', number: true },
  { name: 'ctr', title: 'CTR', number: true },
  { name: 'spend', title: 'Spend', number: true },
  { name: 'end', title: 'Runs' },
];

/** Returns a table of campaigns for the view. @param sortHref null: the table cannot be sorted */
export function campaignTable(
  rows: readonly CampaignRow[],
  { from, to }: Days,
  order: CampaignOrder | null = null,
  sortHref: ((sort: string) => string) | null = null,
) {
  return {
    columns: COLUMNS.map(({ name, title, note, number = false }) => ({
      ...sortableColumn({ name: name ?? '', title, number }, order, name === undefined ? null : sortHref),
      note,
    })),
    rows: rows.map(({ campaign, figures }) => ({
      ...campaign,
      figures,
      stateText: STATES[campaign.state],
      report: { by: 'day', ...filterParameters(filtersFor(campaign)), from, to },
      share: shareOf(campaign.spentMicros, campaign.budgetMicros),
      shareToday: shareOf(campaign.spentTodayMicros, campaign.dailyBudgetMicros),
    })),
  };
}

const STATES: Readonly<Record<CampaignState, string>> = {
  running: 'running',
  paused: 'paused',
  'not-started': 'not started',
  ended: 'ended',
  'taken-down': 'taken down',
  'no-creatives': 'no creatives',
  'budget-spent': 'budget spent',
  'daily-budget-spent': 'day’s budget spent',
};

/** Returns the spent share of a budget; null if there is no budget. */
function shareOf(spent: number, budget: number | null): number | null {
  if (budget === null) return null;
  return budget === 0 ? 1 : Math.min(1, spent / budget);
}
