import type { Pricing } from '../../models/schema/creative.js';
import type { EventKind } from '../../models/schema/event-kinds.js';
import type { Claims } from './claims.js';

/**
 * The account that pays for an event: its campaign together with the advertiser (two advertisers may use one campaign
 * name), or its creative if it has no campaign. Fields that do not identify it are empty.
 */
export interface Account {
  readonly advertiser: string;
  readonly campaign: string;
  readonly creative: string;
}

/** Returns the account that pays for a creative's events. */
export function accountOf({
  advertiser,
  campaign,
  creative,
}: Pick<Claims, 'advertiser' | 'campaign' | 'creative'>): Account {
  if (campaign === null) return { advertiser: '', campaign: '', creative };
  return { advertiser: advertiser ?? '', campaign, creative: '' };
}

/**
 * Returns a string key for an account. A creative's id holds no line break, so two accounts never share a key, except
 * names that differ only in lone surrogates, which are equal in a store.
 */
export function accountKey({ advertiser, campaign, creative }: Account): string {
  return `${creative}\n${campaign.length}:${campaign}${advertiser}`.toWellFormed();
}

/**
 * Returns the price of an event in integer micros: a thousandth of the cpm for an impression (a cpm is a multiple of
 * 1,000), the cpc for a click, 0 for a view or a test key's event.
 */
export function priceMicros({ pricing, test }: Claims, kind: EventKind): number {
  return test || pricing === null || kind !== billedKind(pricing) ? 0 : unitPriceMicros(pricing);
}

/** Returns the kind of event that a price is charged for. */
function billedKind({ model }: Pricing): EventKind {
  return model === 'cpm' ? 'impression' : 'click';
}

/** Returns the price of the next billed event, in whole micros. */
export function unitPriceMicros(pricing: Pricing | null): number {
  if (pricing === null) return 0;
  return pricing.model === 'cpm' ? Math.floor(pricing.micros / 1000) : pricing.micros;
}

/** Assumed clicks per impression when nothing is known yet: typical of advertisements in running text. */
export const PRIOR_CTR = 0.01;

/**
 * Returns the expected revenue of showing an ad, in fractional micros: a thousandth of the cpm, or the cpc times the
 * CTR.
 */
export function expectedMicros(pricing: Pricing | null, ctr = PRIOR_CTR): number {
  if (pricing === null) return 0;
  return pricing.model === 'cpm' ? pricing.micros / 1000 : pricing.micros * ctr;
}
