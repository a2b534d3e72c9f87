import type { EventKind, IgnoredReason } from '../../models/schema/usage-event.js';
import { priceMicros } from '../domain/billing.js';
import type { Claims } from '../domain/claims.js';
import type { AddressRates } from './address-rates.js';
import type { RapidClicks } from './rapid-clicks.js';
import type { ShownAds } from './shown-ads.js';

/** What events are compared with: those shortly before. */
export interface ExcessOptions {
  /** Absent: clicks with request ids of their own are never too close. */
  readonly rapidClicks?: RapidClicks;
  /** Absent: an address may click as often as it likes. */
  readonly clickRates?: AddressRates;
  /** Of keys for browsers only; a publisher's server loads beacons for all. Absent: an address may load as many as it likes. */
  readonly impressionRates?: AddressRates;
  /** Absent: a click that costs something needs no impression. */
  readonly shownAds?: ShownAds;
}

/** An event whose request id was verified. */
export interface ValidatedEvent {
  readonly kind: EventKind;
  readonly address?: string | undefined;
  readonly claims: Claims;
  readonly digest: string;
}

/**
 * Why an event is sooner than a person can cause it, or one more than one person would. Test keys are exempt: whoever tries out an
 * integration clicks often and quickly. `now` is epoch milliseconds.
 */
export function excessOf(event: ValidatedEvent, now: number, options: ExcessOptions): IgnoredReason | undefined {
  if (event.claims.test) return undefined;
  return event.kind === 'click' ? excessOfClick(event, now, options) : excessOfImpression(event, now, options);
}

function excessOfClick(
  event: ValidatedEvent,
  now: number,
  { shownAds, rapidClicks, clickRates }: ExcessOptions,
): IgnoredReason | undefined {
  if (costs(event) && shownAds?.isTooSoon(event.digest)) return 'too-soon';
  if (rapidClicks?.isRapid(event, event, now)) return 'rapid';
  return clickRates?.take(event.address, now) === false ? 'too-often' : undefined;
}

function excessOfImpression(
  event: ValidatedEvent,
  now: number,
  { impressionRates }: ExcessOptions,
): IgnoredReason | undefined {
  if (event.claims.browsersOnly !== true || !costs(event)) return undefined;
  return impressionRates?.take(event.address, now) === false ? 'too-often' : undefined;
}

/** Whether an advertiser pays for the event. */
export function costs({ kind, claims }: Pick<ValidatedEvent, 'kind' | 'claims'>): boolean {
  return priceMicros(claims, kind) > 0;
}
