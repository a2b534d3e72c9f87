import type { Creative } from '../../models/schema/creative.js';
import type { Requester } from '../domain/decision.js';
import type { BudgetIneligibility } from './budgets/budget-check.js';
import type { BudgetRules } from './budgets/budgets.js';
import { expectedMicros } from '../domain/billing.js';
import { dateIneligibility, type DateIneligibility } from './terms/terms.js';

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
