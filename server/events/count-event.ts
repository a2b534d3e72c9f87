import type { IncomingHttpHeaders } from 'node:http';
import type { EventKind, IgnoredReason } from '../../models/schema/usage-event.js';
import type { BudgetRules } from '../campaigns/campaigns.js';
import { type Ledger, LedgerUnavailableError, type Outcome } from '../ledger/ledger.js';
import type { Claims, RequestIds } from '../domain/claims.js';
import type { Takedowns } from '../takedown/live-takedowns.js';
import { isCrawler, isPrefetch } from './automated-fetch.js';
import type { RapidClicks } from './rapid-clicks.js';

/** A beacon or target being fetched. */
export interface TrackedFetch {
  readonly kind: EventKind;
  readonly requestId: string | undefined;
  /** The creative that the target's path names; a beacon has none. */
  readonly creativeInPath?: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The client's address; undefined where a proxy hides it. Compared with those of the last seconds, stored nowhere. */
  readonly address?: string | undefined;
}

/**
 * Judges a fetch and counts it, or counts it as ignored with its reason. `now` is epoch milliseconds.
 *
 * @returns once the outcome is durable; what was ignored without asking the ledger is durable within a second
 * @throws LedgerUnavailableError for an impression or view that could not be stored, so that the client may try again. A
 * click that could not be stored is `lost`: the person is redirected all the same, nobody comes back to try again.
 */
export type CountEvent = (fetch: TrackedFetch, now: number) => Promise<Outcome>;

export interface CountEventOptions {
  readonly requestIds: RequestIds;
  readonly ledger: Ledger;
  readonly windows: ValidWindows;
  /** Budgets that hold now; absent: those that request ids carry. */
  readonly budgets?: BudgetRules;
  /** Absent: nothing was taken down. */
  readonly takedowns?: Pick<Takedowns, 'has'>;
  /** Absent: clicks with request ids of their own are never too close. */
  readonly rapidClicks?: RapidClicks;
}

export function createCountEvent(options: CountEventOptions): CountEvent {
  const { requestIds, ledger, windows, budgets, takedowns, rapidClicks } = options;
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
      faultOf(fetch, verified.claims) ?? (isExpired(verified.claims, kind, now, windows) ? 'expired' : undefined);
    if (reason !== undefined) return ignore(reason);
    if (kind === 'click' && takedowns?.has(verified.claims.creative)) return ignore('taken-down');
    if (kind === 'click' && !verified.claims.test && rapidClicks?.isRapid(fetch, verified, now)) return ignore('rapid');
    const limits = budgets?.limitsOf(verified.claims);
    const held = limits === undefined ? verified.claims : { ...verified.claims, limits };
    try {
      const outcome = await ledger.record({ kind, id: verified.digest, claims: held, at: now });
      budgets?.recordEvent(verified.claims, kind, outcome, now);
      return outcome;
    } catch (error) {
      if (kind === 'click' && error instanceof LedgerUnavailableError) return ignore('lost');
      throw error;
    }
  };
}

function faultOf({ creativeInPath, headers }: TrackedFetch, claims: Claims): IgnoredReason | undefined {
  if (creativeInPath !== undefined && creativeInPath !== claims.creative) return 'wrong-creative';
  if (isPrefetch(headers)) return 'prefetch';
  if (isCrawler(headers['user-agent'])) return 'crawler';
  return undefined;
}

/** How long after its ad an event still counts, in milliseconds: two settings. */
export interface ValidWindows {
  /** For impressions and views: a page shows its ads soon. */
  readonly impressionWindowMs: number;
  /** For clicks: a chat is found again and read weeks later. */
  readonly clickWindowMs: number;
}

/** An event counts up to the last millisecond of its window. One from before its ad is a clock's fault and counts too. */
export function isExpired({ issuedAt }: Claims, kind: EventKind, now: number, windows: ValidWindows): boolean {
  return now - issuedAt > (kind === 'click' ? windows.clickWindowMs : windows.impressionWindowMs);
}
