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
import { createHearing } from './hearing.js';
import { createRanker } from './ranker.js';
import { read } from './reading/reading.js';
import { NEAR_TIE_DEPTH, winnerOf } from './winner.js';

export interface DecideParts {
  readonly encoder: Encoder;
  readonly index: Pick<LiveIndex, 'current'>;
  readonly config: Pick<Config, 'dataDir' | 'floor'>;
  /** Absent: of campaigns, the feed's dates alone hold. */
  readonly campaigns?: CampaignRules;
}

/** Wires encoder, live index and decision model into the function that answers matches. */
export function createDecide({ encoder, index, config, campaigns = feedRules }: DecideParts): Decide {
  const model = loadDecisionModel(config.dataDir, encoder.fingerprint);
  const gate = createGate(loadGateModel(encoder.fingerprint), loadLexicon());
  const ranker = createRanker(encoder, model, createHearing(encoder, gate.turns));
  return async (request, asker) => {
    // One snapshot for the whole decision: a swap meanwhile is the next request's.
    const snapshot = index.current();
    if (snapshot === null || snapshot.creatives.length === 0) return { filled: false, reason: 'no-catalogue' };
    const seen = await ranker.look(read(request));
    if (gate.judge(seen.heard, asker.publisher.allowedTopics).sensitive) return { filled: false, reason: 'sensitive' };
    const creativeOf = (label: number) => snapshot.creatives[label]!;
    const accept = (label: number): boolean => ineligibility(creativeOf(label), asker, campaigns) === null;
    const ranked = ranker.rank(seen, snapshot, accept, NEAR_TIE_DEPTH);
    if (ranked.length === 0) return { filled: false, reason: 'not-eligible' };
    const floor = asker.publisher.floor ?? config.floor ?? model.floor;
    const winner = winnerOf(ranked, floor, (label) => expectedMicros(campaigns.applied(creativeOf(label)).pricing));
    if (winner === undefined) return { filled: false, reason: 'below-floor' };
    // In the same turn as the ranking: no other decision comes between a budget's check and its reservation.
    campaigns.answered(creativeOf(winner.label), asker);
    return { filled: true, creative: campaigns.applied(creativeOf(winner.label)), score: winner.score };
  };
}
