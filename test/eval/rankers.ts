import type { Encoder } from '../../models/encoder/encoder.js';
import { plainModel } from '../../models/scoring/decision-model.js';
import type { LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { createRanker } from '../../server/decide/ranker.js';
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
 * Returns the ranking used by the match endpoint, each context with the encoder of its language; empty if no encoder
 * supports the language.
 */
export function productRanker(encoder: Encoder, snapshot: LoadedSnapshot, dataDir: string): EvalRanker {
  const pipelineOf = createLanguagePipelines(encoder, dataDir);
  return async ({ context }) => {
    const conversation = readConversation({ context });
    const pipeline = pipelineOf(languageOf(conversation));
    const catalogue = pipeline?.catalogue(snapshot);
    if (!pipeline || !catalogue) return [];
    const seen = await pipeline.ranker.prepare(conversation, null);
    // The first score decides; the others only need to be in order.
    const ranked = await pipeline.ranker.rank(seen, catalogue, null, DEPTH);
    return ranked.map(({ creative, score }) => [creative.id, score]);
  };
}

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
