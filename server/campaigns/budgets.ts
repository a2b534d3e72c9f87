import type { Creative } from '../../models/schema/creative.js';
import type { LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import type { Calendar } from '../../models/time/calendar.js';
import { accountKey, accountOf, billedKind, expectedMicros } from '../domain/billing.js';
import type { EmbeddedLedger } from '../ledger/embedded-ledger.js';
import type { LiveIndex } from '../live-index/live-index.js';
import type { FollowLog } from '../stores/followed-store.js';
import { budgetFault, type BudgetFault } from './budget-check.js';
import type { BudgetRules } from './campaigns.js';
import { createReservations } from './reservations.js';
import { followSpending } from './spending.js';
import type { LiveTerms, Terms } from './terms.js';

/** Whether campaigns may spend more, for decisions; what their limits are and what events cost them, for counting. */
export interface Budgets extends BudgetRules {
  /** Why there is no room for one more ad on these terms, which have a budget; null: there is. */
  fault(terms: Terms, now: number): BudgetFault | null;
  /** An ad was answered on these terms, which have a budget: sets aside what it may cost. */
  reserve(terms: Terms, now: number): void;
  close(): Promise<void>;
}

export interface BudgetsOptions {
  readonly terms: LiveTerms;
  readonly ledger: Pick<EmbeddedLedger, 'spending'>;
  readonly index: Pick<LiveIndex, 'current'>;
  readonly calendar: Calendar;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Pick<FollowLog, 'error'>;
  /** Called when a budget's fault may have become another one. */
  readonly onChange: () => void;
}

/** Budgets beside the ledger: what it has stored, and what ads already answered may still cost. */
export async function openBudgets(options: BudgetsOptions): Promise<Budgets> {
  const { terms, ledger, index, calendar, clock, log, onChange } = options;
  const reservations = createReservations();
  const feedOf = createFeedAccounts(index, terms);
  const read = (at: number) => ledger.spending(at);
  const spending = await followSpending({ read, calendar, clock, log, onChange });

  return {
    fault(held, now) {
      const reserved = reservations.expected(held.account, now);
      return budgetFault(held, spending.of(held.account, now), reserved, calendar.dayOf(now), now);
    },
    reserve(held, now) {
      reservations.add(held.account, now, expectedMicros(held.creative.pricing));
    },
    limitsOf(claims) {
      const held = feedOf(accountKey(accountOf(claims)));
      if (held !== undefined) return { totalMicros: held.budgetMicros, dailyMicros: held.dailyBudgetMicros };
      const { totalMicros = null, dailyMicros = null } = claims.limits ?? {};
      const { budgetMicros = totalMicros, dailyBudgetMicros = dailyMicros } = terms.setFor(claims) ?? {};
      return { totalMicros: budgetMicros, dailyMicros: dailyBudgetMicros };
    },
    recordEvent(claims, kind, outcome, at) {
      const { pricing, test, issuedAt } = claims;
      if (pricing === null || test || kind !== billedKind(pricing)) return;
      if (!outcome.counted && outcome.reason !== 'over-budget') return;
      const account = accountKey(accountOf(claims));
      reservations.release(account, issuedAt, expectedMicros(pricing));
      if (outcome.counted) spending.charged(account, outcome.priceMicros, at);
      onChange();
    },
    close: () => spending.close(),
  };
}

/** A creative of each account of the live snapshot, on the terms in force: rows of one campaign agree on them. */
function createFeedAccounts(
  index: Pick<LiveIndex, 'current'>,
  terms: LiveTerms,
): (account: string) => Creative | undefined {
  let known: { snapshot: LoadedSnapshot; revision: number; accounts: Map<string, Creative> } | undefined;
  return (account) => {
    const snapshot = index.current();
    if (snapshot === null) return undefined;
    const { revision } = terms;
    if (known?.snapshot !== snapshot || known.revision !== revision) {
      const held = snapshot.creatives.map((creative) => terms.of(creative));
      known = { snapshot, revision, accounts: new Map(held.map((each) => [each.account, each.creative])) };
    }
    return known.accounts.get(account);
  };
}
