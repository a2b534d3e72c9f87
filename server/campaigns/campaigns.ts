import type { Creative } from '../../models/schema/creative.js';
import type { Requester } from '../domain/decision.js';
import type { BudgetIneligibility } from './budgets/budget-check.js';
import type { BudgetRules } from './budgets/budgets.js';
import { expectedMicros } from '../domain/billing.js';
import { dateIneligibility, type DateIneligibility } from './terms/terms.js';

/** Why no ad of a campaign may be served now. */
export type CampaignIneligibility = 'taken-down' | 'paused' | DateIneligibility | BudgetIneligibility | 'frequency-cap';

/** The campaign rules that a decision applies. */
export interface CampaignRules {
  /** Returns the creative as served: with the terms that a command has set for its campaign. */
  effective(creative: Creative): Creative;
  /** Returns what the creative is expected to earn once shown, in micros, given its campaign's observed CTR. */
  expectedMicros(creative: Creative): number;
  /** Returns why the creative may not be served now, or null. Cheap when called again for the same requester. */
  ineligibility(creative: Creative, requester: Requester): CampaignIneligibility | null;
  /** Records that the creative was served: counts towards its frequency cap, and reserves what it may cost. */
  recordServed(creative: Creative, requester: Requester): void;
}

export interface Campaigns extends CampaignRules, BudgetRules {
  close(): Promise<void>;
}

/** The feed's rules without a ledger: dates apply, budgets and caps do not. For evaluation. */
export const feedRules: CampaignRules = {
  effective: (creative) => creative,
  expectedMicros: ({ pricing }) => expectedMicros(pricing),
  ineligibility: ({ startsAt, endsAt }, { now }) =>
    dateIneligibility(Date.parse(startsAt ?? ''), Date.parse(endsAt ?? ''), now),
  recordServed: () => undefined,
};
