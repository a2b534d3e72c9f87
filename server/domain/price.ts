import type { EventKind } from '../../models/schema/usage-event.js';
import type { Claims } from './claims.js';

/**
 * What one event costs its advertiser, in integer micros: a cpm's thousandth for an impression (a cpm is a multiple of
 * 1,000), a cpc for a click, nothing for a view or for a test key's event.
 */
export function priceMicros({ pricing, test }: Claims, kind: EventKind): number {
  if (test || pricing === null) return 0;
  if (pricing.model === 'cpm') return kind === 'impression' ? Math.floor(pricing.micros / 1000) : 0;
  return kind === 'click' ? pricing.micros : 0;
}
