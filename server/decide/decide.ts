import type { NoFillReason } from '../../models/schema/event-kinds.js';
import { feedRules } from '../campaigns/campaigns.js';
import type { Decide, Decision } from '../domain/decision.js';
import { NEAR_TIE_DEPTH } from './choose-winner.js';
import { createDecisionSteps, type DecideOptions } from './decision-steps.js';

/** Creates the function that decides match requests, from encoder, live index and campaign rules. */
export function createDecide(options: DecideOptions): Decide {
  const { campaigns = feedRules } = options;
  const steps = createDecisionSteps(options);
  return async (request, requester, signal) => {
    // One snapshot for the whole decision: a swap in the meantime applies to the next request.
    const live = steps.liveCatalogue();
    if (live === null) return { filled: false, reason: 'no-catalogue' };
    const read = steps.read(request, requester, live);
    const { language } = read.requester;
    const noFill = (reason: NoFillReason): Decision => ({ filled: false, reason, language });
    if (read.snapshot === null) return noFill('language');
    const assessed = await steps.assess(read, signal);
    if (assessed.gate.sensitive) return noFill('sensitive');
    const ranked = await steps.rank(assessed, read.snapshot, NEAR_TIE_DEPTH);
    // Nothing may be awaited from here on: no other decision runs between the budget check and the reservation.
    const { eligible, winner } = steps.choose(assessed, ranked);
    if (winner === undefined) return noFill(eligible.length === 0 ? 'not-eligible' : 'below-floor');
    const { creative, score } = winner;
    campaigns.recordServed(creative, assessed.requester);
    const { advertiser: feedAdvertiser } = creative;
    return { filled: true, creative: campaigns.effective(creative), feedAdvertiser, score, language };
  };
}
