import type { Creative } from '../../models/schema/creative.js';
import { decimal } from '../../models/text/money.js';

/** Fields that belong to a campaign as a whole, although each of its rows repeats them. */
export const TERMS = ['startsAt', 'endsAt', 'pricing', 'budgetMicros', 'dailyBudgetMicros', 'frequencyCap'] as const;
export type Term = (typeof TERMS)[number];

/** Returns a campaign's term as a feed would write it: amounts in units of the currency, dates in UTC. */
export function termText(creative: Creative, term: Term): string {
  switch (term) {
    case 'pricing': {
      const { pricing } = creative;
      return pricing === null ? 'absent' : `${pricing.model} ${amount(pricing.micros)}`;
    }
    case 'budgetMicros':
    case 'dailyBudgetMicros': {
      const micros = creative[term];
      return micros === null ? 'absent' : amount(micros);
    }
    case 'frequencyCap': {
      const { frequencyCap } = creative;
      return frequencyCap === null ? 'absent' : `${frequencyCap.ads} in ${frequencyCap.hours} hours`;
    }
    default:
      return creative[term] ?? 'absent';
  }
}

const amount = (micros: number): string => decimal(BigInt(micros), 2);
