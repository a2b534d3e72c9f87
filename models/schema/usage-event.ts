/**
 * Something that happened to an ad after it was answered. An impression is the beacon's pixel loaded; a view
 * is the ad seen in the viewport (an extension of the contract); a click is the target followed.
 */
export const EVENT_KINDS = ['impression', 'view', 'click'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/**
 * Why an event arrived but was not counted.
 *
 * `invalid` (forged or damaged request id) · `foreign` (of another installation with the same keys) · `missing` (no request id) · `expired` ·
 * `from-future` (its ad was answered by a clock that is ahead) · `repeated` (already counted) ·
 * `wrong-creative` (target path and request id disagree) · `test` (a test key's event: kept apart, never billed) ·
 * `head` · `prefetch` (`Sec-Purpose`/`Purpose`) · `crawler` · `not-browser` (a click that the browser itself calls no navigation; of a key for browsers
 * only) · `data-centre` (from a listed address) · `rapid` (a click within seconds of another one from the same address
 * on the same creative) · `too-often` (one more click, or impression of a key for browsers
 * only, than an address may make) · `too-soon` (a click that would cost
 * something, sooner after the impression than a person can) · `no-impression` (such a click without any) · `over-budget` (stored
 * with price 0) · `lost` (a click that could not be stored in time) · `taken-down` (a click on a
 * creative that the operator took down).
 */
export const IGNORED_REASONS = [
  'invalid',
  'missing',
  'foreign',
  'expired',
  'from-future',
  'repeated',
  'wrong-creative',
  'test',
  'head',
  'prefetch',
  'crawler',
  'not-browser',
  'data-centre',
  'rapid',
  'too-often',
  'too-soon',
  'no-impression',
  'over-budget',
  'lost',
  'taken-down',
] as const;
export type IgnoredReason = (typeof IGNORED_REASONS)[number];

/**
 * Why a request got no ad; the value of the `x-adjacent-reason` response header. `language`: the conversation is in one
 * that no encoder here was measured on.
 */
export const NO_FILL_REASONS = ['no-catalogue', 'below-floor', 'sensitive', 'not-eligible', 'language'] as const;
export type NoFillReason = (typeof NO_FILL_REASONS)[number];
