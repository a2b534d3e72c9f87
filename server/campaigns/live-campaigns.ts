import { createCalendar } from '../../platform/time/calendar.js';
import type { Requester } from '../domain/decision.js';
import type { ServerLedger } from '../ledger/server-ledger.js';
import type { LiveIndex } from '../live-index/live-index.js';
import type { FollowLog } from '../stores/followed-store.js';
import type { SharedStore } from '../stores/shared-store.js';
import { openBudgets, type Budgets } from './budgets/budgets.js';
import type { CampaignFile } from './terms/campaign-file.js';
import type { CampaignIneligibility, Campaigns } from './campaigns.js';
import type { History } from './budgets/history.js';
import { createSessionCaps, type SessionCaps } from './session-caps.js';
import { dateIneligibility, followTerms, type Terms } from './terms/terms.js';

export interface CampaignsOptions {
  readonly store: SharedStore<CampaignFile>;
  readonly ledger: Pick<ServerLedger, 'spending'>;
  readonly index: Pick<LiveIndex, 'current'>;
  /** IANA time zone of the days that daily budgets are for. */
  readonly timeZone: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: FollowLog;
  /** Absent: nothing was taken down. */
  readonly takedowns?: { has(creativeId: string): boolean };
  /** What was shown and clicked before this process began; absent: nothing. */
  readonly history?: History;
}

/**
 * Campaigns of the feed and of the commands, with what they have spent: terms, budgets and frequency caps put together.
 *
 * @throws DamagedStoreError when the campaigns' file is damaged at the start
 */
export async function openCampaigns(options: CampaignsOptions): Promise<Campaigns> {
  const { store, ledger, index, timeZone, clock, log, history, takedowns } = options;
  /** One decision needs the fault of every candidate, many of them of one campaign. */
  let decided: { readonly requester: Requester | null; readonly faults: Map<string, CampaignIneligibility | null> };
  const forget = (): void => void (decided = { requester: null, faults: new Map() });
  forget();
  const terms = await followTerms({ store, log, onChange: forget });
  const calendar = createCalendar(timeZone);
  const budgets = await openBudgets({ terms, ledger, index, calendar, clock, log, history, onChange: forget });
  const caps = createSessionCaps();

  return {
    effective: (creative) => terms.of(creative).creative,
    expectedMicros: (creative) => budgets.expectedMicros(terms.of(creative)),
    fault(creative, requester) {
      if (takedowns?.has(creative.id)) return 'taken-down';
      const held = terms.of(creative);
      if (decided.requester !== requester) decided = { requester, faults: new Map() };
      const known = decided.faults.get(held.feedCampaign);
      if (known !== undefined) return known;
      const fault = faultOf(held, requester, budgets, caps);
      decided.faults.set(held.feedCampaign, fault);
      return fault;
    },
    recordServed(creative, requester) {
      const { session, now, publisher } = requester;
      const held = terms.of(creative);
      const { frequencyCap } = held.creative;
      forget();
      if (frequencyCap !== null && session !== undefined) caps.answered(session, held.account, frequencyCap, now);
      if (held.budgeted && !publisher.test) budgets.reserve(held, requester);
    },
    limitsOf: budgets.limitsOf,
    recordEvent: budgets.recordEvent,
    async close() {
      await Promise.all([terms.close(), budgets.close()]);
    },
  };
}

/** The first reason against a campaign: paused, its dates, its budgets, the session's cap. */
function faultOf(
  terms: Terms,
  requester: Requester,
  budgets: Budgets,
  caps: SessionCaps,
): CampaignIneligibility | null {
  const { session, now } = requester;
  if (terms.paused) return 'paused';
  const fault =
    dateIneligibility(terms.startsAt, terms.endsAt, now) ?? (terms.budgeted ? budgets.fault(terms, requester) : null);
  if (fault !== null) return fault;
  const { frequencyCap } = terms.creative;
  const capped = frequencyCap !== null && session !== undefined;
  return capped && caps.isReached(session, terms.account, frequencyCap, now) ? 'frequency-cap' : null;
}
