import { inBatches } from '../../../platform/time/in-batches.js';
import type { ListedCampaign } from '../../campaigns/list-campaigns.js';
import { compareNames } from '../../domain/name-order.js';
import type { CampaignFigures } from './campaign-figures.js';
import { firstRows } from '../query/first-rows.js';

/** A campaign in a list, with its figures for the period. */
export interface CampaignRow {
  readonly campaign: ListedCampaign;
  readonly figures: CampaignFigures;
}

/** The columns that campaigns can be ordered by. */
export type CampaignColumn = keyof typeof VALUES;

export interface CampaignOrder {
  readonly column: CampaignColumn;
  readonly descending: boolean;
}

const VALUES = {
  name: ({ campaign }) => campaign.name,
  impressions: ({ figures }) => figures.impressions,
  clicks: ({ figures }) => figures.clicks,
  ctr: ({ figures }) => figures.ctr,
  spend: ({ figures }) => figures.spendMicros,
  end: ({ campaign }) => (campaign.endsAt === null ? null : Date.parse(campaign.endsAt)),
} as const satisfies Record<string, (row: CampaignRow) => string | number | bigint | null>;

/** Reads an order such as `-spend`; null if it names no column: running campaigns first, then by name. */
export function readCampaignOrder(text: string): CampaignOrder | null {
  const descending = text.startsWith('-');
  const name = descending ? text.slice(1) : text;
  return Object.hasOwn(VALUES, name) ? { column: name as CampaignColumn, descending } : null;
}

/** Returns whether an advertiser pays for a campaign, or has it in the feed. @param name empty: no advertiser pays */
export function isOf({ advertiser, of }: ListedCampaign, name: string): boolean {
  return name === '' ? advertiser === null : advertiser === name || of === name;
}

/**
 * Returns the campaigns of which the name, an advertiser (in the feed, or who pays) or a source contains a text, in any
 * case. In turns.
 *
 * @param advertiser only those of this advertiser; empty: without one; undefined: any
 */
export async function findCampaigns(
  campaigns: readonly ListedCampaign[],
  text: string,
  advertiser: string | undefined,
): Promise<readonly ListedCampaign[]> {
  const wanted = text.toLowerCase();
  const found: ListedCampaign[] = [];
  await inBatches(campaigns, (campaign) => {
    if (advertiser !== undefined && !isOf(campaign, advertiser)) return;
    const words = [campaign.name, campaign.advertiser, campaign.of, ...campaign.sources];
    if (words.some((word) => word?.toLowerCase().includes(wanted))) found.push(campaign);
  });
  return found;
}

/** Returns the first `count` rows in an order; equal ones stay in theirs, and those without a value come last. */
export function firstCampaigns(
  rows: readonly CampaignRow[],
  count: number,
  order: CampaignOrder | null,
): Promise<readonly CampaignRow[]> {
  return firstRows(rows, count, order === null ? runningFirst : comparison(order));
}

function runningFirst(one: CampaignRow, other: CampaignRow): number {
  return Number(other.campaign.state === 'running') - Number(one.campaign.state === 'running');
}

function comparison({ column, descending }: CampaignOrder): (one: CampaignRow, other: CampaignRow) => number {
  const sign = descending ? -1 : 1;
  return (one, other) => {
    const [left, right] = [VALUES[column](one), VALUES[column](other)];
    if (left === right) return 0;
    if (left === null || right === null) return left === null ? 1 : -1;
    if (typeof left === 'string' || typeof right === 'string') return sign * compareNames(String(left), String(right));
    return left < right ? -sign : sign;
  };
}
