import type { EventKind } from '../../../models/schema/event-kinds.js';
import type { Calendar } from '../../../platform/time/calendar.js';
import { accountKey, accountOf, expectedMicros, PRIOR_CTR, priceMicros } from '../../domain/billing.js';
import type { Claims, Limits } from '../../domain/claims.js';
import type { Requester } from '../../domain/decision.js';
import type { Outcome } from '../../ledger/tables/ledger.js';
import type { ServerLedger } from '../../ledger/server-ledger.js';
import type { LiveIndex } from '../../live-index/live-index.js';
import type { FollowLog } from '../../stores/followed-store.js';
import { budgetIneligibility, type BudgetIneligibility } from './budget-check.js';
import type { PastAdCounts } from '../../ledger/past-ads/sum-past-ads.js';
import { createClickRates, createShownRates } from './observed-rates.js';
import { createPaidCreatives } from './paid-creatives.js';
import { createRequesterShares } from './requester-shares.js';
import { createReservations } from './reservations.js';
import { followSpending } from './spending.js';
import type { LiveTerms } from '../terms/live-terms.js';
import type { Terms } from '../terms/terms.js';

/** The budget functions that event counting needs. */
export interface BudgetRules {
  /** Returns the budget limits now in force for an ad; the limits in its claims if no others are known. */
  limitsOf(claims: Claims): Limits;
  /** Records an event of `at` that the ledger has stored: its cost becomes spend and is no longer reserved. */
  recordEvent(claims: Claims, kind: EventKind, outcome: Outcome, at: number): void;
}

/** Budget checks and reservations for decisions; limits and charges for event counting. */
export interface Budgets extends BudgetRules {
  /** Returns why the budget of these terms does not allow one more ad; null: it does. The terms must have a budget. */
  ineligibility(terms: Terms, requester: Requester): BudgetIneligibility | null;
  /** Reserves what an ad served on these terms may cost. The terms must have a budget. */
  reserve(terms: Terms, requester: Requester): void;
  /** Returns what an ad on these terms is expected to earn once shown, in micros. */
  expectedMicros(terms: Terms): number;
  close(): Promise<void>;
}

export interface BudgetsOptions {
  readonly terms: LiveTerms;
  readonly ledger: Pick<ServerLedger, 'spending'>;
  readonly index: Pick<LiveIndex, 'current'>;
  readonly calendar: Calendar;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Pick<FollowLog, 'error'>;
  readonly history: PastAdCounts | undefined;
  /** Called when a budget's ineligibility may have changed. */
  readonly onChange: () => void;
}

/**
 * Bounds of the CTR by which a campaign is ranked against others. The observed CTR can be inflated cheaply, since an
 * advertiser can click its own ads while they cost a micro, and lowered for nothing, by beacons of ads that pay per click.
 */
const MOST_CTR_TO_RANK_BY = 10 * PRIOR_CTR;
const LEAST_CTR_TO_RANK_BY = PRIOR_CTR / 10;

/** Opens the budgets: spend as stored in the ledger, plus reservations for ads already served. */
export async function openBudgets(options: BudgetsOptions): Promise<Budgets> {
  const { terms: liveTerms, ledger, index, calendar, clock, log, history, onChange } = options;
  const clicks = createClickRates(history?.clicks);
  const reservations = createReservations(createShownRates(history?.shown), clicks);
  const shares = createRequesterShares(reservations);
  const paidCreativeOf = createPaidCreatives(index, liveTerms);
  const read = (at: number) => ledger.spending(at);
  const spending = await followSpending({ read, calendar, clock, log, onChange });

  return {
    ineligibility(terms, requester) {
      const { account } = terms;
      const { now, publisher } = requester;
      const expected = reservations.expected(account, publisher.name, now);
      const reserved = { ...expected, shares: shares.of(account, requester) };
      return budgetIneligibility(terms, spending.of(account, now), reserved, calendar.dayOf(now), now);
    },
    reserve({ account, creative }, requester) {
      if (creative.pricing === null) return;
      const ad = { publisher: requester.publisher.name, creative: creative.id, issuedAt: requester.now };
      reservations.add(account, ad, creative.pricing, shares.namesOf(requester));
    },
    expectedMicros: ({ account, creative }) =>
      expectedMicros(
        creative.pricing,
        Math.max(LEAST_CTR_TO_RANK_BY, Math.min(MOST_CTR_TO_RANK_BY, clicks.of(account))),
      ),
    limitsOf(claims) {
      const paid = paidCreativeOf(claims);
      if (paid !== undefined) return { totalMicros: paid.budgetMicros, dailyMicros: paid.dailyBudgetMicros };
      const { totalMicros = null, dailyMicros = null } = claims.limits ?? {};
      const { budgetMicros = totalMicros, dailyBudgetMicros = dailyMicros } = liveTerms.overridesFor(claims) ?? {};
      return { totalMicros: budgetMicros, dailyMicros: dailyBudgetMicros };
    },
    recordEvent(claims, kind, outcome, at) {
      if (claims.test || kind === 'view' || (!outcome.counted && outcome.reason !== 'over-budget')) return;
      const account = accountKey(accountOf(claims));
      // An over-budget event has still happened: its ad is not expected to cost anything more.
      if (kind === 'click') reservations.recordClick(claims);
      else reservations.recordImpression(claims);
      // The CTR counts only ads priced per click, and only paid clicks: unpaid ones could be generated for free.
      if (kind === 'impression' && priceMicros(claims, 'click') > 0) clicks.recordImpression(account);
      if (kind === 'click' && outcome.counted && outcome.priceMicros > 0) clicks.recordClick(account);
      if (outcome.counted && outcome.priceMicros > 0) spending.recordCharge(account, outcome.priceMicros, at);
      onChange();
    },
    close: () => spending.close(),
  };
}
