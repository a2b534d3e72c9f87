import type { IncomingHttpHeaders } from 'node:http';
import type { EventKind, IgnoredReason } from '../../models/schema/event-kinds.js';
import { MINUTE } from '../../platform/time/durations.js';
import type { Claims } from '../domain/claims.js';
import type { Takedowns } from '../takedown/live-takedowns.js';
import type { AddressRanges } from './address-ranges.js';
import { type CrawlerCheck, isPrefetch } from './automated-fetch.js';
import { isBrowserFetch, isNotNavigation } from './browser-fetch.js';
import { rateReasonOf, type RateCheckOptions, type ValidatedEvent } from './rate-checks.js';
import type { RecordedEvents } from './recorded-events.js';

/** A fetch of a beacon or target. */
export interface TrackedFetch {
  readonly kind: EventKind;
  readonly requestId: string | undefined;
  /** The creative in the target's path; a beacon has none. */
  readonly creativeInPath?: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The client's address; undefined if the connection closed too soon. Compared in memory, never stored. */
  readonly address?: string | undefined;
}

/** How long after its ad an event still counts, in milliseconds, from two settings. */
export interface ValidWindows {
  /** For impressions and views: a page shows its ads soon after the decision. */
  readonly impressionWindowMs: number;
  /** For clicks: a person may return to a chat weeks later. */
  readonly clickWindowMs: number;
}

export interface FetchCheckOptions extends RateCheckOptions {
  readonly windows: ValidWindows;
  /** Data-centre addresses, from which no click counts. Null: none. */
  readonly dataCentres: AddressRanges | null;
  /** False if browsers send no `Sec-Fetch-*`, as over plain http. */
  readonly hasFetchMetadata: boolean;
  /** Null: no creative is taken down. */
  readonly takedowns: Pick<Takedowns, 'has'> | null;
}

interface FetchChecks extends FetchCheckOptions {
  readonly isCrawler: CrawlerCheck;
  readonly recorded: RecordedEvents;
}

/**
 * Returns the first reason for which an event with a verified request id does not count; undefined: only the ledger can
 * tell whether it does. `now` is epoch milliseconds.
 */
export function ignoredReasonOf(
  fetch: TrackedFetch,
  event: ValidatedEvent,
  now: number,
  checks: FetchChecks,
): IgnoredReason | undefined {
  const { kind, claims, digest } = event;
  const reason = fetchReasonOf(fetch, claims, checks) ?? ageReasonOf(claims, kind, now, checks.windows);
  if (reason !== undefined) return reason;
  if (kind === 'click' && checks.takedowns?.has(claims.creative)) return 'taken-down';
  // Checked before the address's share is used, which others at the address need.
  if (checks.recorded.has(kind, digest)) return 'repeated';
  return rateReasonOf(event, now, checks);
}

function fetchReasonOf(
  { kind, creativeInPath, headers, address }: TrackedFetch,
  claims: Claims,
  { dataCentres, hasFetchMetadata, isCrawler }: FetchChecks,
): IgnoredReason | undefined {
  if (creativeInPath !== undefined && creativeInPath !== claims.creative) return 'wrong-creative';
  if (isPrefetch(headers)) return 'prefetch';
  if (isCrawler(headers['user-agent'])) return 'crawler';
  if (kind === 'click' && isNotNavigation(headers)) return 'not-browser';
  const { browsersOnly = false } = claims;
  if (browsersOnly && !isBrowserFetch(kind, headers, hasFetchMetadata)) return 'not-browser';
  // A publisher's server in a data centre may load beacons, but no person clicks from there.
  if ((browsersOnly || kind === 'click') && dataCentres?.has(address)) return 'data-centre';
  return undefined;
}

/** Max lag of this clock behind that of the machine from which an installation was moved. */
const MAX_AHEAD_MS = 5 * MINUTE;

/**
 * Returns the reason if an event is too old or too early. An event counts up to the last millisecond of its window, and
 * from shortly before its ad.
 */
function ageReasonOf({ issuedAt }: Claims, kind: EventKind, now: number, windows: ValidWindows) {
  if (now - issuedAt > (kind === 'click' ? windows.clickWindowMs : windows.impressionWindowMs)) return 'expired';
  return issuedAt - now > MAX_AHEAD_MS ? 'from-future' : undefined;
}
