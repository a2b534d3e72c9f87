import type { Encoder } from '../../models/encoder/encoder.js';
import { plainModel } from '../../models/scoring/decision-model.js';
import type { LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { exclusions, ineligibility } from '../../server/decide/eligibility.js';
import { type CreativeFilter, createRanker } from '../../server/decide/ranker.js';
import type { Requester } from '../../server/domain/decision.js';
import { defaultSettings } from '../../server/keys/key-file.js';
import { readConversation } from '../../server/decide/conversation/conversation.js';
import { languageOf } from '../../server/decide/conversation/language.js';
import { createLanguagePipelines } from '../../server/decide/language-pipelines.js';
import { bm25 } from './bm25.js';
import type { EvalContext } from './set.js';

/** A context's ranking, best first; scores need not be probabilities. */
export type RankedIds = readonly (readonly [id: string, score: number])[];
export type EvalRanker = (context: EvalContext) => Promise<RankedIds>;

const DEPTH = 50;

/**
 * Returns the ranking used by the match endpoint, each context with the encoder of its language, without ads that are
 * declared for another; empty if no encoder supports the language.
 */
export function productRanker(encoder: Encoder, snapshot: LoadedSnapshot, dataDir: string): EvalRanker {
  const pipelineOf = createLanguagePipelines(encoder, dataDir);
  return async ({ context }) => {
    const conversation = readConversation({ context });
    const language = languageOf(conversation);
    const pipeline = pipelineOf(language);
    const catalogue = pipeline?.catalogue(snapshot);
    if (!pipeline || !catalogue) return [];
    const seen = await pipeline.ranker.prepare(conversation, null);
    // The first score decides; the others only need to be in order.
    const ranked = await pipeline.ranker.rank(seen, catalogue, filterFor(language), DEPTH);
    return ranked.map(({ creative, score }) => [creative.id, score]);
  };
}

/** Returns the filter for a conversation's language, `null` if it is unknown. */
function filterFor(language: string | null): CreativeFilter {
  const requester: Requester = { publisher: ANY_PUBLISHER, session: undefined, language, now: Date.now() };
  return {
    accept: (creative) => ineligibility(creative, requester) === null,
    exclusions: () => exclusions(requester),
  };
}

const ANY_PUBLISHER = { ...defaultSettings('Publisher'), test: false };

/** Ranks with the encoder alone: cosine of the whole context. */
export function bareRanker(encoder: Encoder, snapshot: LoadedSnapshot): EvalRanker {
  const model = plainModel(encoder.fingerprint);
  const ranker = createRanker(encoder, model);
  return async ({ context }) => {
    const seen = await ranker.prepare(readConversation({ context }), null);
    const ranked = await ranker.rank(seen, snapshot, null, DEPTH);
    return ranked.map(({ creative, similarity }) => [creative.id, similarity]);
  };
}

/** Ranks by BM25 over name and text. */
export function wordRanker(snapshot: LoadedSnapshot): EvalRanker {
  const scores = bm25(snapshot.creatives.map(({ name, text }) => `${name} ${text ?? ''}`));
  return ({ context }) => {
    const byCreative = scores(context);
    const ranked = snapshot.creatives.map(({ id }, label) => [id, byCreative[label]!] as const);
    return Promise.resolve(ranked.toSorted((a, b) => b[1] - a[1]).slice(0, DEPTH));
  };
}
