import type { EventKind, IgnoredReason } from '../../models/schema/event-kinds.js';
import { priceMicros } from '../domain/billing.js';
import type { Claims } from '../domain/claims.js';
import type { AddressRates } from './address-rates.js';
import type { RapidClicks } from './rapid-clicks.js';
import type { RecentImpressions } from './recent-impressions.js';

/** Memories of recent events, to compare an event with. */
export interface RateCheckOptions {
  /** Null: clicks with different request ids are never too close. */
  readonly rapidClicks: RapidClicks | null;
  /** Null: clicks per address are not limited. */
  readonly clickRates: AddressRates | null;
  /**
   * Applies to browser keys only, since a publisher's server loads beacons for all its users. Null: impressions per
   * address are not limited.
   */
  readonly impressionRates: AddressRates | null;
  /** Null: a billed click needs no impression. */
  readonly recentImpressions: RecentImpressions | null;
}

/** An event whose request id is verified. */
export interface ValidatedEvent {
  readonly kind: EventKind;
  readonly address?: string | undefined;
  readonly claims: Claims;
  readonly digest: string;
}

/**
 * Returns the reason if an event comes sooner than a person can cause it, or exceeds the share of its address. Test
 * keys are exempt, since developers who try out an integration click often and quickly. `now` is epoch milliseconds.
 */
export function rateReasonOf(event: ValidatedEvent, now: number, options: RateCheckOptions): IgnoredReason | undefined {
  if (event.claims.test) return undefined;
  return event.kind === 'click' ? clickReasonOf(event, now, options) : impressionReasonOf(event, now, options);
}

function clickReasonOf(
  event: ValidatedEvent,
  now: number,
  { recentImpressions, rapidClicks, clickRates }: RateCheckOptions,
): IgnoredReason | undefined {
  if (isBillable(event) && recentImpressions?.isTooSoon(event.digest)) return 'too-soon';
  if (rapidClicks?.isRapid(event, event, now)) return 'rapid';
  return clickRates?.take(event.address, now) === false ? 'too-often' : undefined;
}

function impressionReasonOf(
  event: ValidatedEvent,
  now: number,
  { impressionRates }: RateCheckOptions,
): IgnoredReason | undefined {
  if (event.claims.browsersOnly !== true || !isBillable(event)) return undefined;
  return impressionRates?.take(event.address, now) === false ? 'too-often' : undefined;
}

/** Whether the event is billed. */
export function isBillable({ kind, claims }: Pick<ValidatedEvent, 'kind' | 'claims'>): boolean {
  return priceMicros(claims, kind) > 0;
}
