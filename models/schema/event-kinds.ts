/**
 * Kinds of events of a served ad. An impression is a load of the beacon pixel; a view reports that the ad was in the
 * viewport (an extension of the contract); a click is a request of the target URL.
 */
export const EVENT_KINDS = ['impression', 'view', 'click'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/**
 * Reasons why a received event is ignored (not counted).
 *
 * - `invalid`: forged or damaged request id
 * - `missing`: no request id
 * - `foreign`: from another installation with the same keys
 * - `expired`: too long after the decision
 * - `from-future`: the ad was served by a node whose clock is ahead
 * - `repeated`: already counted
 * - `wrong-creative`: target path and request id disagree
 * - `test`: event of a test key; stored separately, never billed
 * - `head`: HEAD request
 * - `prefetch`: by `Sec-Purpose` or `Purpose`
 * - `crawler`
 * - `not-browser`: a click that the browser itself does not report as a navigation; for keys restricted to browsers,
 *   also any event that no browser fetched
 * - `data-centre`: from a listed address
 * - `rapid`: a click within seconds of another one from the same address on the same creative
 * - `too-often`: above the limit of clicks, or of impressions for keys restricted to browsers, per address
 * - `too-soon`: a click with a price, sooner after the impression than a person can click
 * - `no-impression`: a click with a price, without an impression
 * - `over-budget`: stored with price 0
 * - `lost`: a click that could not be stored in time
 * - `taken-down`: a click on a creative that the operator took down
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
 * Reasons for a no-fill: the value of the `x-adjacent-reason` response header. `language`: the conversation is in a
 * language that no installed encoder was measured on.
 */
export const NO_FILL_REASONS = ['no-catalogue', 'below-floor', 'sensitive', 'not-eligible', 'language'] as const;
export type NoFillReason = (typeof NO_FILL_REASONS)[number];
