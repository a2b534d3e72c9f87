/**
 * Something that happened to an ad after it was answered. An impression is the beacon's pixel loaded; a view
 * is the ad seen in the viewport (an extension of the contract); a click is the target followed.
 */
export const EVENT_KINDS = ['impression', 'view', 'click'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/**
 * Why an event arrived but was not counted.
 *
 * `invalid` (forged or damaged request id) · `missing` (no request id) · `expired` · `repeated` (already counted) ·
 * `wrong-creative` (target path and request id disagree) · `test` (a test key's event: kept apart, never billed) ·
 * `head` · `prefetch` (`Sec-Purpose`/`Purpose`) · `crawler` · `rapid` (a click within seconds of another one by the same client on the
 * same creative) · `over-budget` (stored with price 0) · `lost` (a click that
 * could not be stored in time) · `taken-down` (a click on a creative that the operator took down).
 */
export const IGNORED_REASONS = [
  'invalid',
  'missing',
  'expired',
  'repeated',
  'wrong-creative',
  'test',
  'head',
  'prefetch',
  'crawler',
  'rapid',
  'over-budget',
  'lost',
  'taken-down',
] as const;
export type IgnoredReason = (typeof IGNORED_REASONS)[number];

/** Why a request got no ad. The value of the `x-adjacent-reason` response header. */
export const NO_FILL_REASONS = ['no-catalogue', 'below-floor', 'sensitive', 'not-eligible'] as const;
export type NoFillReason = (typeof NO_FILL_REASONS)[number];
