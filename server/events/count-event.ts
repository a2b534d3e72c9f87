import type { IncomingHttpHeaders } from 'node:http';
import type { EventKind, IgnoredReason } from '../../models/schema/event-kinds.js';
import { elapsedMs } from '../../platform/time/elapsed.js';
import { MINUTE } from '../../platform/time/durations.js';
import type { BudgetRules } from '../campaigns/budgets/budgets.js';
import type { Ledger, Outcome, UsageEvent } from '../ledger/tables/ledger.js';
import type { Claims, RequestIds } from '../domain/claims.js';
import type { AddressRanges } from './address-ranges.js';
import type { Takedowns } from '../takedown/live-takedowns.js';
import { createCrawlerCheck, type CrawlerCheck, isPrefetch } from './automated-fetch.js';
import { isBrowserFetch, isNotNavigation } from './browser-fetch.js';
import { isBillable, rateReasonOf, type RateCheckOptions } from './rate-checks.js';
import type { EventSpool } from './event-spool.js';
import { createRecordedEvents } from './recorded-events.js';
import { recordClick, recordImpressionOrView, type CountOutcome } from './record-or-spool.js';
import { SOONEST_MS } from './recent-impressions.js';

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

/**
 * Decides whether a fetch counts, and counts it or counts it as ignored with its reason. `now` is epoch milliseconds.
 *
 * @returns once the outcome is durable; an event ignored without asking the ledger is durable within a second
 * @throws LedgerUnavailableError for an impression or view that could not be stored, so that the client may retry. It
 * is counted once later, whether the client retries or not. A click is not repeated by the client: it waits on disk
 * until the ledger can store it, and is `lost` only if the disk refuses it too.
 */
export type CountEvent = (fetch: TrackedFetch, now: number) => Promise<CountOutcome>;

export interface CountEventOptions extends RateCheckOptions {
  readonly requestIds: RequestIds;
  readonly ledger: Ledger;
  readonly windows: ValidWindows;
  /** Budgets in force now; null: those that request ids carry. */
  readonly budgets: BudgetRules | null;
  /** Data-centre addresses, from which no click counts. Null: none. */
  readonly dataCentres: AddressRanges | null;
  /** False if browsers send no `Sec-Fetch-*`, as over plain http. */
  readonly hasFetchMetadata: boolean;
  /** Whether other nodes also count impressions and clicks. */
  readonly hasNodes: boolean;
  /** Null: no creative is taken down. */
  readonly takedowns: Pick<Takedowns, 'has'> | null;
  /** Null: a click that the ledger cannot store is lost. */
  readonly spool: EventSpool | null;
}

export function createCountEvent(options: CountEventOptions): CountEvent {
  const { requestIds, ledger, windows, budgets, recentImpressions, takedowns, spool, hasNodes } = options;
  const recorded = createRecordedEvents();
  const fetchChecks: FetchChecks = { ...options, isCrawler: createCrawlerCheck() };
  return async (fetch, now) => {
    const { kind } = fetch;
    const verified = requestIds.verify(fetch.requestId);
    const claims = verified.valid ? verified.claims : null;
    const ignore = (reason: IgnoredReason): Outcome => {
      ledger.ignore({ kind, reason, claims, at: now });
      return { counted: false, reason };
    };

    if (fetch.method === 'HEAD') return ignore('head');
    if (!verified.valid) return ignore(verified.reason);
    const reason =
      ignoredReasonOf(fetch, verified.claims, fetchChecks) ?? ageReasonOf(verified.claims, kind, now, windows);
    if (reason !== undefined) return ignore(reason);
    if (kind === 'click' && takedowns?.has(verified.claims.creative)) return ignore('taken-down');
    // Checked before the address's share is used, which others at the address need.
    if (recorded.has(kind, verified.digest)) return ignore('repeated');
    const rateReason = rateReasonOf({ kind, address: fetch.address, ...verified }, now, options);
    if (rateReason !== undefined) return ignore(rateReason);
    const added = kind === 'impression' ? recentImpressions?.add(verified.digest) : undefined;
    const needsShown = recentImpressions !== null && kind === 'click' && isBillable({ kind, claims: verified.claims });
    const limits = budgets?.limitsOf(verified.claims);
    const held = limits === undefined ? verified.claims : { ...verified.claims, limits };
    // The clock of the server that issued the ad may have been ahead; no event precedes its ad.
    const at = Math.max(now, verified.claims.issuedAt);
    const plain = { kind, id: verified.digest, claims: held, at };
    // This node does not remember the impressions of other nodes, and a beacon being recorded may repeat one of theirs.
    const shownElsewhere = needsShown && hasNodes;
    // The beacon being recorded may be a repeat. Only the ledger knows when the ad was first shown.
    const mayBeTooSoon = shownElsewhere || (needsShown && recentImpressions.mayBeTooSoon(verified.digest));
    const event: UsageEvent = {
      ...plain,
      ...(needsShown && { needsShown }),
      ...(mayBeTooSoon && { shownBy: at - SOONEST_MS }),
      ...(shownElsewhere && { shownElsewhere }),
      ...(hasNodes && kind !== 'view' && { seenAt: elapsedMs() }),
    };
    const record = async (): Promise<Outcome> => {
      const outcome = await ledger.record(event).catch((error: unknown) => {
        // The ad may have been shown before: a click on it asks the ledger, which knows.
        added?.forget();
        throw error;
      });
      if (outcome.counted || outcome.reason === 'repeated') recorded.add(kind, verified.digest);
      if (!outcome.counted && outcome.reason === 'repeated') added?.forget();
      else added?.confirm();
      budgets?.recordEvent(verified.claims, kind, outcome, at);
      return outcome;
    };
    if (kind !== 'click') return recordImpressionOrView(event, record, spool);
    return (await recordClick(event, record, spool)) ?? ignore('lost');
  };
}

interface FetchChecks extends Pick<CountEventOptions, 'dataCentres' | 'hasFetchMetadata'> {
  readonly isCrawler: CrawlerCheck;
}

function ignoredReasonOf(
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

/** How long after its ad an event still counts, in milliseconds, from two settings. */
export interface ValidWindows {
  /** For impressions and views: a page shows its ads soon after the decision. */
  readonly impressionWindowMs: number;
  /** For clicks: a person may return to a chat weeks later. */
  readonly clickWindowMs: number;
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
