import { createCalendar } from '../../platform/time/calendar.js';
import type { Requester } from '../domain/decision.js';
import type { ServerLedger } from '../ledger/server-ledger.js';
import type { LiveIndex } from '../live-index/live-index.js';
import type { FollowLog } from '../stores/followed-store.js';
import type { SharedStore } from '../stores/shared-store.js';
import { openBudgets, type Budgets } from './budgets/budgets.js';
import type { CampaignFile } from './terms/campaign-file.js';
import type { CampaignIneligibility, Campaigns } from './campaigns.js';
import type { PastAdCounts } from '../ledger/past-ads/sum-past-ads.js';
import { createSessionCaps, type SessionCaps } from './session-caps.js';
import { followTerms } from './terms/live-terms.js';
import { dateIneligibility, type Terms } from './terms/terms.js';

export interface CampaignsOptions {
  readonly store: SharedStore<CampaignFile>;
  readonly ledger: Pick<ServerLedger, 'spending'>;
  readonly index: Pick<LiveIndex, 'current'>;
  /** IANA time zone that defines the days of daily budgets. */
  readonly timeZone: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: FollowLog;
  /** Absent: nothing was taken down. */
  readonly takedowns?: { has(creativeId: string): boolean };
  /** Shown ads and clicks from before this process started; absent: none. */
  readonly history?: PastAdCounts;
}

/**
 * Opens the campaigns of the feed, as changed by commands, with their terms, budgets and frequency caps.
 *
 * @throws DamagedStoreError when the campaign file is damaged at the start
 */
export async function openCampaigns(options: CampaignsOptions): Promise<Campaigns> {
  const { store, ledger, index, timeZone, clock, log, history, takedowns } = options;
  /** Results of the current decision, by campaign: a decision checks every candidate, and many share a campaign. */
  let decided: { readonly requester: Requester | null; readonly reasons: Map<string, CampaignIneligibility | null> };
  const forget = (): void => void (decided = { requester: null, reasons: new Map() });
  forget();
  const liveTerms = await followTerms({ store, log, onChange: forget });
  const calendar = createCalendar(timeZone);
  const budgets = await openBudgets({
    terms: liveTerms,
    ledger,
    index,
    calendar,
    clock,
    log,
    history,
    onChange: forget,
  });
  const caps = createSessionCaps();

  return {
    effective: (creative) => liveTerms.of(creative).creative,
    expectedMicros: (creative) => budgets.expectedMicros(liveTerms.of(creative)),
    ineligibility(creative, requester) {
      if (takedowns?.has(creative.id)) return 'taken-down';
      const terms = liveTerms.of(creative);
      if (decided.requester !== requester) decided = { requester, reasons: new Map() };
      const known = decided.reasons.get(terms.feedCampaign);
      if (known !== undefined) return known;
      const reason = firstIneligibility(terms, requester, budgets, caps);
      decided.reasons.set(terms.feedCampaign, reason);
      return reason;
    },
    recordServed(creative, requester) {
      const { session, now, publisher } = requester;
      const terms = liveTerms.of(creative);
      const { frequencyCap } = terms.creative;
      forget();
      if (frequencyCap !== null && session !== undefined) caps.recordServed(session, terms.account, frequencyCap, now);
      if (terms.budgeted && !publisher.test) budgets.reserve(terms, requester);
    },
    limitsOf: budgets.limitsOf,
    recordEvent: budgets.recordEvent,
    async close() {
      await Promise.all([liveTerms.close(), budgets.close()]);
    },
  };
}

/** Returns the first reason against a campaign: paused, its dates, its budgets, the session's frequency cap. */
function firstIneligibility(
  terms: Terms,
  requester: Requester,
  budgets: Budgets,
  caps: SessionCaps,
): CampaignIneligibility | null {
  const { session, now } = requester;
  if (terms.paused) return 'paused';
  const reason =
    dateIneligibility(terms.startsAt, terms.endsAt, now) ??
    (terms.budgeted ? budgets.ineligibility(terms, requester) : null);
  if (reason !== null) return reason;
  const { frequencyCap } = terms.creative;
  const capped = frequencyCap !== null && session !== undefined;
  return capped && caps.isReached(session, terms.account, frequencyCap, now) ? 'frequency-cap' : null;
}
