import type { Encoder } from '../../models/encoder/encoder.js';
import { type CampaignRules, feedRules } from '../campaigns/campaigns.js';
import type { Config } from '../config/settings.js';
import type { Decide, Requester } from '../domain/decision.js';
import type { LiveIndex } from '../live-index/live-index.js';
import { chooseWinner, NEAR_TIE_DEPTH, preferenceAmong } from './choose-winner.js';
import { readConversation } from './conversation/conversation.js';
import { languageOf } from './conversation/language.js';
import { exclusions, ineligibility } from './eligibility.js';
import { floorFor } from './floor.js';
import { createLanguagePipelines } from './language-pipelines.js';

export interface DecideOptions {
  readonly encoder: Encoder;
  readonly index: Pick<LiveIndex, 'current'>;
  readonly config: Pick<Config, 'dataDir' | 'floor'>;
  /** Absent: only the feed's campaign dates apply. */
  readonly campaigns?: CampaignRules;
}

/** Creates the function that decides match requests, from encoder, live index and decision model. */
export function createDecide({ encoder, index, config, campaigns = feedRules }: DecideOptions): Decide {
  const pipelineOf = createLanguagePipelines(encoder, config.dataDir);
  return async (request, requesterWithoutLanguage, signal) => {
    // One snapshot for the whole decision: a swap in the meantime applies to the next request.
    const live = index.current();
    if (live === null || live.creatives.length === 0) return { filled: false, reason: 'no-catalogue' };
    const conversation = readConversation(request);
    const language = languageOf(conversation);
    const pipeline = pipelineOf(language);
    const snapshot = pipeline && pipeline.catalogue(live);
    if (snapshot === null) return { filled: false, reason: 'language', language };
    const { model, gate, ranker } = pipeline!;
    const requester = { ...requesterWithoutLanguage, language };
    const context = await ranker.prepare(conversation, ownerOf(requester), signal);
    if (gate.assess(context.encoded, requester.publisher.allowedTopics).sensitive)
      return { filled: false, reason: 'sensitive', language };
    const creativeOf = (label: number) => snapshot.creatives[label]!;
    const accept = (label: number): boolean => ineligibility(creativeOf(label), requester, campaigns) === null;
    const filter = { accept, exclusions: () => exclusions(requester) };
    const considered = await ranker.rank(context, snapshot, filter, NEAR_TIE_DEPTH);
    // A budget may have run out while the search ran.
    const ranked = considered.filter(({ label }) => accept(label));
    if (ranked.length === 0) return { filled: false, reason: 'not-eligible', language };
    const floor = floorFor(requester.publisher, config.floor, model);
    const winner = chooseWinner(ranked, floor.value, preferenceAmong(snapshot.creatives, campaigns, language));
    if (winner === undefined) return { filled: false, reason: 'below-floor', language };
    // In the same event-loop turn as the check above: no other decision runs between the budget check and the
    // reservation.
    campaigns.recordServed(creativeOf(winner.label), requester);
    const creative = campaigns.effective(creativeOf(winner.label));
    return { filled: true, creative, score: winner.score, language };
  };
}

/**
 * Returns the owner under which a conversation's encodings may be cached; null without a session: nothing is cached.
 */
export function ownerOf({ publisher, session }: Requester): string | null {
  return session === undefined ? null : JSON.stringify([publisher.name, session]);
}
