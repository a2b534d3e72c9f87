import type { Pricing } from '../../models/schema/creative.js';

/** Clicks per impression where nothing is known yet: what advertisements in running text customarily get. */
export const PRIOR_CTR = 0.01;

/** What an ad is expected to earn once it is shown, in micros (not whole ones): a cpm's thousandth, or a cpc by the prior CTR. */
export function expectedMicros(pricing: Pricing | null): number {
  if (pricing === null) return 0;
  return pricing.model === 'cpm' ? pricing.micros / 1000 : pricing.micros * PRIOR_CTR;
}

/** What the next event that costs something costs, in whole micros. */
export function nextPriceMicros(pricing: Pricing | null): number {
  if (pricing === null) return 0;
  return pricing.model === 'cpm' ? Math.floor(pricing.micros / 1000) : pricing.micros;
}
