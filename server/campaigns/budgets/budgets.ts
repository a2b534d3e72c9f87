import type { EventKind } from '../../../models/schema/usage-event.js';
import type { Calendar } from '../../../platform/time/calendar.js';
import { accountKey, accountOf, expectedMicros, PRIOR_CTR, priceMicros } from '../../domain/billing.js';
import type { Claims, Limits } from '../../domain/claims.js';
import type { Requester } from '../../domain/decision.js';
import type { Outcome } from '../../ledger/tables/ledger.js';
import type { ServerLedger } from '../../ledger/server-ledger.js';
import type { LiveIndex } from '../../live-index/live-index.js';
import type { FollowLog } from '../../stores/followed-store.js';
import { budgetIneligibility, type BudgetIneligibility } from './budget-check.js';
import type { History } from './history.js';
import { createClickRates, createShownRates } from './observed-rates.js';
import { createPaidCreatives } from './paid-creatives.js';
import { createRequesterShares } from './requester-shares.js';
import { createReservations } from './reservations.js';
import { followSpending } from './spending.js';
import type { LiveTerms, Terms } from '../terms/terms.js';

/** What counting needs to know about budgets. */
export interface BudgetRules {
  /** The limits that hold now for what these claims cost; those of the claims when nothing else is known. */
  limitsOf(claims: Claims): Limits;
  /** The ledger has stored an event of `at`: what it cost is spent, and no longer reserved. */
  recordEvent(claims: Claims, kind: EventKind, outcome: Outcome, at: number): void;
}

/** Whether campaigns may spend more, for decisions; what their limits are and what events cost them, for counting. */
export interface Budgets extends BudgetRules {
  /** Why there is no room for one more ad on these terms, which have a budget; null: there is. */
  fault(terms: Terms, requester: Requester): BudgetIneligibility | null;
  /** An ad was answered on these terms, which have a budget: sets aside what it may cost. */
  reserve(terms: Terms, requester: Requester): void;
  /** What an ad on these terms is expected to earn once it is shown, in micros. */
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
  readonly history: History | undefined;
  /** Called when a budget's fault may have become another one. */
  readonly onChange: () => void;
}

/**
 * No campaign is taken to be clicked more often than this when it is compared with others: what is observed can be had cheaply, by clicks
 * on one's own ads while they cost a micro.
 */
const MOST_CTR_TO_RANK_BY = 10 * PRIOR_CTR;

/** Budgets beside the ledger: what it has stored, and what ads already answered may still cost. */
export async function openBudgets(options: BudgetsOptions): Promise<Budgets> {
  const { terms, ledger, index, calendar, clock, log, history, onChange } = options;
  const clicks = createClickRates(history?.clicks);
  const reservations = createReservations(createShownRates(history?.shown), clicks);
  const shares = createRequesterShares(reservations);
  const paidFor = createPaidCreatives(index, terms);
  const read = (at: number) => ledger.spending(at);
  const spending = await followSpending({ read, calendar, clock, log, onChange });

  return {
    fault(held, requester) {
      const { now } = requester;
      const all = reservations.expected(held.account, now);
      const reserved = { all, shares: shares.of(held.account, requester) };
      return budgetIneligibility(held, spending.of(held.account, now), reserved, calendar.dayOf(now), now);
    },
    reserve({ account, creative }, requester) {
      if (creative.pricing === null) return;
      const ad = { publisher: requester.publisher.name, creative: creative.id, issuedAt: requester.now };
      reservations.add(account, ad, creative.pricing, shares.namesOf(requester));
    },
    expectedMicros: ({ account, creative }) =>
      expectedMicros(creative.pricing, Math.min(MOST_CTR_TO_RANK_BY, clicks.of(account))),
    limitsOf(claims) {
      const held = paidFor(claims);
      if (held !== undefined) return { totalMicros: held.budgetMicros, dailyMicros: held.dailyBudgetMicros };
      const { totalMicros = null, dailyMicros = null } = claims.limits ?? {};
      const { budgetMicros = totalMicros, dailyBudgetMicros = dailyMicros } = terms.setFor(claims) ?? {};
      return { totalMicros: budgetMicros, dailyMicros: dailyBudgetMicros };
    },
    recordEvent(claims, kind, outcome, at) {
      if (claims.test || kind === 'view' || (!outcome.counted && outcome.reason !== 'over-budget')) return;
      const account = accountKey(accountOf(claims));
      // What a budget has no room for has happened all the same: nothing is expected of its ad any more.
      if (kind === 'click') reservations.clicked(claims);
      else reservations.shown(claims);
      // Of ads that pay by click alone, and only by clicks that were paid for: others are to be had for nothing.
      if (kind === 'impression' && priceMicros(claims, 'click') > 0) clicks.shown(account);
      if (kind === 'click' && outcome.counted && outcome.priceMicros > 0) clicks.clicked(account);
      if (outcome.counted && outcome.priceMicros > 0) spending.charged(account, outcome.priceMicros, at);
      onChange();
    },
    close: () => spending.close(),
  };
}
