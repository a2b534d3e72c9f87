import type { IgnoredReason } from '../../models/schema/event-kinds.js';
import { elapsedMs } from '../../platform/time/elapsed.js';
import type { BudgetRules } from '../campaigns/budgets/budgets.js';
import type { Ledger, Outcome, UsageEvent } from '../ledger/tables/ledger.js';
import type { RequestIds } from '../domain/claims.js';
import { createCrawlerCheck } from './automated-fetch.js';
import type { EventSpool } from './event-spool.js';
import { type FetchCheckOptions, ignoredReasonOf, type TrackedFetch } from './ignored-reason.js';
import { isBillable, type ValidatedEvent } from './rate-checks.js';
import { type AddedImpression, SOONEST_MS } from './recent-impressions.js';
import { recordClick, recordImpressionOrView, type CountOutcome } from './record-or-spool.js';
import { createRecordedEvents } from './recorded-events.js';

/**
 * Decides whether a fetch counts, and counts it or counts it as ignored with its reason. `now` is epoch milliseconds.
 *
 * @returns once the outcome is durable; an event ignored without asking the ledger is durable within a second
 * @throws LedgerUnavailableError for an impression or view that could not be stored, so that the client may retry. It
 * is counted once later, whether the client retries or not. A click is not repeated by the client: it waits on disk
 * until the ledger can store it, and is `lost` only if the disk refuses it too.
 */
export type CountEvent = (fetch: TrackedFetch, now: number) => Promise<CountOutcome>;

export interface CountEventOptions extends FetchCheckOptions {
  readonly requestIds: RequestIds;
  readonly ledger: Ledger;
  /** Budgets in force now; null: those that request ids carry. */
  readonly budgets: BudgetRules | null;
  /** Whether other nodes also count impressions and clicks. */
  readonly hasNodes: boolean;
  /** Null: a click that the ledger cannot store is lost. */
  readonly spool: EventSpool | null;
}

export function createCountEvent(options: CountEventOptions): CountEvent {
  const { requestIds, ledger, budgets, recentImpressions, spool } = options;
  const recorded = createRecordedEvents();
  const checks = { ...options, recorded, isCrawler: createCrawlerCheck() };
  const record = async (event: UsageEvent, added: AddedImpression | undefined): Promise<Outcome> => {
    const { kind, id, claims, at } = event;
    const outcome = await ledger.record(event).catch((error: unknown) => {
      // The ad may have been shown before: a click on it asks the ledger, which knows.
      added?.forget();
      throw error;
    });
    if (outcome.counted || outcome.reason === 'repeated') recorded.add(kind, id);
    if (!outcome.counted && outcome.reason === 'repeated') added?.forget();
    else added?.confirm();
    budgets?.recordEvent(claims, kind, outcome, at);
    return outcome;
  };
  return async (fetch, now) => {
    const { kind, address } = fetch;
    const verified = requestIds.verify(fetch.requestId);
    const ignore = (reason: IgnoredReason): Outcome => {
      ledger.ignore({ kind, reason, claims: verified.valid ? verified.claims : null, at: now });
      return { counted: false, reason };
    };
    if (fetch.method === 'HEAD') return ignore('head');
    if (!verified.valid) return ignore(verified.reason);
    const { claims, digest } = verified;
    const validated = { kind, address, claims, digest };
    const reason = ignoredReasonOf(fetch, validated, now, checks);
    if (reason !== undefined) return ignore(reason);
    const added = kind === 'impression' ? recentImpressions?.add(digest) : undefined;
    const event = usageEventOf(validated, now, options);
    if (kind !== 'click') return recordImpressionOrView(event, () => record(event, added), spool);
    return (await recordClick(event, () => record(event, added), spool)) ?? ignore('lost');
  };
}

/** Returns the event as the ledger is to judge it, with the limits that are in force now. */
function usageEventOf(
  { kind, claims, digest }: ValidatedEvent,
  now: number,
  { budgets, recentImpressions, hasNodes }: CountEventOptions,
): UsageEvent {
  const limits = budgets?.limitsOf(claims);
  // The clock of the server that issued the ad may have been ahead; no event precedes its ad.
  const at = Math.max(now, claims.issuedAt);
  const needsShown = recentImpressions !== null && kind === 'click' && isBillable({ kind, claims });
  // This node does not remember the impressions of other nodes, and a beacon being recorded may repeat one of theirs.
  const shownElsewhere = needsShown && hasNodes;
  // The beacon being recorded may be a repeat. Only the ledger knows when the ad was first shown.
  const mayBeTooSoon = shownElsewhere || (needsShown && recentImpressions.mayBeTooSoon(digest));
  return {
    kind,
    id: digest,
    claims: limits === undefined ? claims : { ...claims, limits },
    at,
    ...(needsShown && { needsShown }),
    ...(mayBeTooSoon && { shownBy: at - SOONEST_MS }),
    ...(shownElsewhere && { shownElsewhere }),
    ...(hasNodes && kind !== 'view' && { seenAt: elapsedMs() }),
  };
}
