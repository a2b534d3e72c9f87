import type { Creative } from '../../models/schema/creative.js';
import type { Requester } from '../domain/decision.js';
import { accountKey, accountOf } from '../domain/account.js';
import { createCalendar } from '../../models/time/calendar.js';
import type { EmbeddedLedger } from '../ledger/embedded-ledger.js';
import type { LiveIndex } from '../live-index/live-index.js';
import { followStore, type FollowLog } from '../stores/followed-store.js';
import type { SharedStore } from '../stores/shared-store.js';
import { budgetFault } from './budget-fault.js';
import type { CampaignFile } from './campaign-file.js';
import { dateFault, type CampaignFault, type Campaigns } from './campaigns.js';
import { expectedMicros } from '../domain/expected-value.js';
import { createFeedAccounts } from './feed-accounts.js';
import type { Day } from './pace.js';
import { createReservations } from './reservations.js';
import { createSessionCaps } from './session-caps.js';
import { followSpending } from './spending.js';
import { termsOf, type Terms } from './terms.js';

export interface CampaignsOptions {
  readonly store: SharedStore<CampaignFile>;
  readonly ledger: Pick<EmbeddedLedger, 'spending'>;
  readonly index: Pick<LiveIndex, 'current'>;
  /** IANA time zone of the days that daily budgets are for. */
  readonly timeZone: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: FollowLog;
}

/** How often the campaigns' file is looked at. */
const POLL_MS = 250;

/**
 * Campaigns of the feed and of the commands, with what they have spent.
 *
 * @throws DamagedStoreError when the campaigns' file is damaged at the start
 */
export async function openCampaigns(options: CampaignsOptions): Promise<Campaigns> {
  const { store, ledger, index, timeZone, clock, log } = options;
  const calendar = createCalendar(timeZone);
  const reservations = createReservations();
  const caps = createSessionCaps();
  const feedAccounts = createFeedAccounts(index);

  let set = new Map<string, CampaignFile['campaigns'][number]>();
  let known = new WeakMap<Creative, Terms>();
  /** One decision asks about every candidate, many of them of one campaign. */
  let round: { requester: Requester | null; faults: Map<string, CampaignFault | null> } = {
    requester: null,
    faults: new Map(),
  };
  const newRound = (requester: Requester | null): void => void (round = { requester, faults: new Map() });
  const apply = (file: CampaignFile): void => {
    set = new Map(file.campaigns.map((campaign) => [campaign.name, campaign]));
    known = new WeakMap();
    newRound(null);
  };
  const file = await followStore({ store, onChange: apply, log, name: 'campaigns', pollMs: POLL_MS });
  apply(file.current);
  const read = (at: number) => ledger.spending(at);
  const spending = await followSpending({ read, calendar, clock, log, onChange: () => newRound(null) });

  const setFor = (campaign: string | null) => (campaign === null ? undefined : set.get(campaign));
  const terms = (creative: Creative): Terms => {
    const before = known.get(creative);
    if (before !== undefined) return before;
    const made = termsOf(creative, setFor(creative.campaign));
    known.set(creative, made);
    return made;
  };
  let day: Day = { start: 0, end: 0 };
  const dayOf = (now: number): Day => {
    if (now < day.start || now >= day.end) {
      const date = calendar.dateOf(now);
      const next = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
      day = { start: calendar.startOf(date), end: calendar.startOf(next) };
    }
    return day;
  };
  const judge = (held: Terms, { session, now }: Requester): CampaignFault | null => {
    if (held.paused) return 'paused';
    const { budgetMicros, dailyBudgetMicros, frequencyCap } = held.creative;
    const dates = dateFault(held.startsAt, held.endsAt, now);
    if (dates !== null) return dates;
    if (budgetMicros !== null || dailyBudgetMicros !== null) {
      const reserved = reservations.expected(held.account, now);
      const budget = budgetFault(held, spending.of(held.account, now), reserved, dayOf(now), now);
      if (budget !== null) return budget;
    }
    const capped = frequencyCap !== null && session !== undefined;
    return capped && caps.isReached(session, held.account, frequencyCap, now) ? 'frequency-cap' : null;
  };

  return {
    effective: (creative) => terms(creative).creative,
    fault(creative, requester) {
      const held = terms(creative);
      if (round.requester !== requester) newRound(requester);
      const judged = round.faults.get(held.account);
      if (judged !== undefined) return judged;
      const fault = judge(held, requester);
      round.faults.set(held.account, fault);
      return fault;
    },
    recordAnswer(creative, { session, now, publisher }) {
      const { account, creative: applied } = terms(creative);
      newRound(null);
      const { frequencyCap, pricing } = applied;
      if (frequencyCap !== null && session !== undefined) caps.answered(session, account, frequencyCap, now);
      const limited = applied.budgetMicros !== null || applied.dailyBudgetMicros !== null;
      if (limited && !publisher.test) reservations.add(account, now, expectedMicros(pricing));
    },
    limitsOf(claims) {
      const given = setFor(claims.campaign);
      const feed = feedAccounts.get(accountKey(accountOf(claims)));
      const total = feed === undefined ? claims.limits?.totalMicros : feed.budgetMicros;
      const daily = feed === undefined ? claims.limits?.dailyMicros : feed.dailyBudgetMicros;
      return {
        totalMicros: given?.budgetMicros === undefined ? (total ?? null) : given.budgetMicros,
        dailyMicros: given?.dailyBudgetMicros === undefined ? (daily ?? null) : given.dailyBudgetMicros,
      };
    },
    recordEvent(claims, kind, outcome, at) {
      const { pricing, test, issuedAt } = claims;
      if (pricing === null || test || kind !== (pricing.model === 'cpm' ? 'impression' : 'click')) return;
      if (!outcome.counted && outcome.reason !== 'over-budget') return;
      const account = accountKey(accountOf(claims));
      reservations.release(account, issuedAt, expectedMicros(pricing));
      if (outcome.counted) spending.charged(account, outcome.priceMicros, at);
      newRound(null);
    },
    async close() {
      await Promise.all([file.close(), spending.close()]);
    },
  };
}
