import type { Pricing } from '../../models/schema/creative.js';
import type { EventKind } from '../../models/schema/usage-event.js';
import type { Claims } from './claims.js';

/**
 * Whose budget an event is paid from: its advertiser's campaign's (two advertisers may use one name), or its creative's own
 * where it has no campaign. What does not tell is empty.
 */
export interface Account {
  readonly advertiser: string;
  readonly campaign: string;
  readonly creative: string;
}

/** Which account pays for what a creative does. */
export function accountOf({
  advertiser,
  campaign,
  creative,
}: Pick<Claims, 'advertiser' | 'campaign' | 'creative'>): Account {
  if (campaign === null) return { advertiser: '', campaign: '', creative };
  return { advertiser: advertiser ?? '', campaign, creative: '' };
}

/**
 * One text for an account. A creative's id holds no line break, so that no two accounts share it, but for names with half
 * characters: these are one in a store.
 */
export function accountKey({ advertiser, campaign, creative }: Account): string {
  return `${creative}\n${campaign.length}:${campaign}${advertiser}`.toWellFormed();
}

/**
 * What one event costs its advertiser, in integer micros: a cpm's thousandth for an impression (a cpm is a multiple of
 * 1,000), a cpc for a click, nothing for a view or for a test key's event.
 */
export function priceMicros({ pricing, test }: Claims, kind: EventKind): number {
  return test || pricing === null || kind !== billedKind(pricing) ? 0 : nextPriceMicros(pricing);
}

/** The kind of event that a price is for. */
export function billedKind({ model }: Pricing): EventKind {
  return model === 'cpm' ? 'impression' : 'click';
}

/** What the next event that costs something costs, in whole micros. */
export function nextPriceMicros(pricing: Pricing | null): number {
  if (pricing === null) return 0;
  return pricing.model === 'cpm' ? Math.floor(pricing.micros / 1000) : pricing.micros;
}

/** Clicks per impression where nothing is known yet: what advertisements in running text customarily get. */
export const PRIOR_CTR = 0.01;

/** What an ad is expected to earn once it is shown, in micros (not whole ones): a cpm's thousandth, or a cpc by its CTR. */
export function expectedMicros(pricing: Pricing | null, ctr = PRIOR_CTR): number {
  if (pricing === null) return 0;
  return pricing.model === 'cpm' ? pricing.micros / 1000 : pricing.micros * ctr;
}

/** A month as the ledger holds it: 202611 is November 2026. */
export function monthOf(date: string): number {
  return Number(date.slice(0, 4) + date.slice(5, 7));
}

export function monthAfter(month: number): number {
  return month % 100 === 12 ? month + 89 : month + 1;
}

/** The month that bills what happened in one: its own, or the first after it that is not closed. */
export function firstOpenMonth(month: number, isClosed: (month: number) => boolean): number {
  let open = month;
  while (isClosed(open)) open = monthAfter(open);
  return open;
}
