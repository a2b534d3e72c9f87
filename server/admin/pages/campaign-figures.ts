import { inBatches } from '../../../platform/time/in-batches.js';
import type { ListedCampaign } from '../../campaigns/list-campaigns.js';
import type { ReportRow } from '../../reports/report.js';
import type { NameFilters } from '../query/page-query.js';

/** What a campaign has done in a period. */
export interface CampaignFigures {
  readonly impressions: number;
  readonly clicks: number;
  /** Clicks per impression; null without impressions. */
  readonly ctr: number | null;
  readonly spendMicros: bigint;
}

const NONE: CampaignFigures = { impressions: 0, clicks: 0, ctr: null, spendMicros: 0n };

/** Returns the filters of a campaign's figures: who pays for one that no feed names is unknown, so it may be anyone. */
export function filtersFor({ name, of, advertiser }: ListedCampaign): NameFilters {
  return of === undefined && advertiser === null
    ? { campaign: name }
    : { campaign: name, advertiser: advertiser ?? '' };
}

/** Returns a function that looks up a campaign's figures. @param rows of a report by campaign, read in turns */
export async function figuresByCampaign(
  rows: readonly ReportRow[],
): Promise<(campaign: ListedCampaign) => CampaignFigures> {
  const ofName = new Map<string, CampaignFigures>();
  const ofAccount = new Map<string, CampaignFigures>();
  await inBatches(rows, (row) => {
    const { advertiser, campaign: name } = row.group;
    if (name === null || name === undefined) return;
    ofName.set(name, sumOf(ofName.get(name) ?? NONE, row));
    ofAccount.set(keyOf(name, advertiser ?? ''), row);
  });
  return (campaign) => {
    const { advertiser } = filtersFor(campaign);
    const known =
      advertiser === undefined ? ofName.get(campaign.name) : ofAccount.get(keyOf(campaign.name, advertiser));
    return known ?? NONE;
  };
}

function keyOf(campaign: string, advertiser: string): string {
  return JSON.stringify([campaign, advertiser]);
}

function sumOf(one: CampaignFigures, other: CampaignFigures): CampaignFigures {
  const impressions = one.impressions + other.impressions;
  const clicks = one.clicks + other.clicks;
  const ctr = impressions === 0 ? null : clicks / impressions;
  return { impressions, clicks, ctr, spendMicros: one.spendMicros + other.spendMicros };
}
