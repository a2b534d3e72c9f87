import type { Creative } from '../../models/schema/creative.js';
import type { EventKind } from '../../models/schema/usage-event.js';
import type { Requester } from '../domain/decision.js';
import type { Outcome } from '../ledger/ledger.js';
import type { Claims, Limits } from '../domain/claims.js';
import type { BudgetIneligibility } from './budget-check.js';
import { expectedMicros } from '../domain/billing.js';
import { dateIneligibility, type DateIneligibility } from './terms.js';

/** Why no ad of a campaign may be answered now. */
export type CampaignIneligibility = 'taken-down' | 'paused' | DateIneligibility | BudgetIneligibility | 'frequency-cap';

/** What a decision needs to know about campaigns. */
export interface CampaignRules {
  /** The creative as it is answered: with what was set for its campaign by command. */
  effective(creative: Creative): Creative;
  /** What it is expected to earn once it is shown, in micros, by what was observed of its campaign. */
  expectedMicros(creative: Creative): number;
  /** Why it may not be answered now, or null. Cheap when called again for the same requester. */
  fault(creative: Creative, requester: Requester): CampaignIneligibility | null;
  /** It was answered: counts for its frequency cap, and reserves what it may cost. */
  recordServed(creative: Creative, requester: Requester): void;
}

/** What counting needs to know about budgets. */
export interface BudgetRules {
  /** The limits that hold now for what these claims cost; those of the claims when nothing else is known. */
  limitsOf(claims: Claims): Limits;
  /** The ledger has stored an event of `at`: what it cost is spent, and no longer reserved. */
  recordEvent(claims: Claims, kind: EventKind, outcome: Outcome, at: number): void;
}

export interface Campaigns extends CampaignRules, BudgetRules {
  close(): Promise<void>;
}

/** The feed alone, without a ledger: dates hold, budgets and caps do not. For evaluation. */
export const feedRules: CampaignRules = {
  effective: (creative) => creative,
  expectedMicros: ({ pricing }) => expectedMicros(pricing),
  fault: ({ startsAt, endsAt }, { now }) =>
    dateIneligibility(Date.parse(startsAt ?? ''), Date.parse(endsAt ?? ''), now),
  recordServed: () => undefined,
};
