import type { Encoder } from '../../models/encoder/encoder.js';
import { loadGateModel } from '../../models/safety/gate-model.js';
import { loadLexicon } from '../../models/safety/lexicon.js';
import { loadDecisionModel } from '../../models/scoring/decision-model.js';
import { feedRules, type CampaignRules } from '../campaigns/campaigns.js';
import { expectedMicros } from '../domain/expected-value.js';
import type { Config } from '../config/settings.js';
import type { LiveIndex } from '../live-index/live-index.js';
import type { Decide } from '../domain/decision.js';
import { ineligibility } from './eligibility.js';
import { createGate } from './gate.js';
import { createContextEncoder } from './encode-context.js';
import { createRanker } from './ranker.js';
import { readConversation } from './conversation/conversation.js';
import { NEAR_TIE_DEPTH, winnerOf } from './winner.js';

export interface DecideOptions {
  readonly encoder: Encoder;
  readonly index: Pick<LiveIndex, 'current'>;
  readonly config: Pick<Config, 'dataDir' | 'floor'>;
  /** Absent: of campaigns, the feed's dates alone hold. */
  readonly campaigns?: CampaignRules;
}

/** Wires encoder, live index and decision model into the function that answers matches. */
export function createDecide({ encoder, index, config, campaigns = feedRules }: DecideOptions): Decide {
  const model = loadDecisionModel(config.dataDir, encoder.fingerprint);
  const gate = createGate(loadGateModel(encoder.fingerprint), loadLexicon());
  const ranker = createRanker(encoder, model, createContextEncoder(encoder, gate.turns));
  return async (request, requester) => {
    // One snapshot for the whole decision: a swap meanwhile is the next request's.
    const snapshot = index.current();
    if (snapshot === null || snapshot.creatives.length === 0) return { filled: false, reason: 'no-catalogue' };
    const context = await ranker.prepare(readConversation(request));
    if (gate.assess(context.encoded, requester.publisher.allowedTopics).sensitive)
      return { filled: false, reason: 'sensitive' };
    const creativeOf = (label: number) => snapshot.creatives[label]!;
    const accept = (label: number): boolean => ineligibility(creativeOf(label), requester, campaigns) === null;
    const ranked = ranker.rank(context, snapshot, accept, NEAR_TIE_DEPTH);
    if (ranked.length === 0) return { filled: false, reason: 'not-eligible' };
    const floor = requester.publisher.floor ?? config.floor ?? model.floor;
    const winner = winnerOf(ranked, floor, (label) => expectedMicros(campaigns.effective(creativeOf(label)).pricing));
    if (winner === undefined) return { filled: false, reason: 'below-floor' };
    // In the same turn as the ranking: no other decision comes between a budget's check and its reservation.
    campaigns.recordAnswer(creativeOf(winner.label), requester);
    return { filled: true, creative: campaigns.effective(creativeOf(winner.label)), score: winner.score };
  };
}
