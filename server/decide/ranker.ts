import { creativeText } from '../../models/encoder/embed-creative.js';
import type { Encoder, Encoding } from '../../models/encoder/encoder.js';
import type { DecisionModel } from '../../models/scoring/decision-model.js';
import { joinVectors } from '../../models/encoder/join-vectors.js';
import type { SearchFilter } from '../../models/index/catalogue-search.js';
import { dot, normalised } from '../../models/index/vector-index.js';
import { rank, type Candidate } from '../../models/scoring/rank.js';
import { featuresOf, scoreOf, type Features } from '../../models/scoring/score.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { createContextEncoder } from './encode-context.js';
import type { EncodeContext, EncodedContext } from './encoded-context.js';
import { newestText, type Conversation } from './conversation/conversation.js';

/** An encoded context. */
export interface PreparedContext {
  readonly conversation: Conversation;
  readonly encoded: EncodedContext;
  /** The vector to search with, of unit length: that of the whole conversation. */
  readonly query: Float32Array;
  /** Log odds that an ad could serve a need here; null: the encoder gives no such signal. */
  readonly advertisable: number | null;
}

/** A candidate with its calibrated probability. */
export interface ScoredCandidate extends Candidate {
  readonly features: Features;
  readonly score: number;
}

/** The two halves of matching: the encoder's work on a context, and its ranking against a snapshot. */
export interface Ranker {
  /** Encodes the conversation. @param owner @param signal see `EncodeContext` @throws EncoderBusyError */
  prepare(conversation: Conversation, owner: string | null, signal?: AbortSignal): Promise<PreparedContext>;
  /**
   * Returns the best accepted creatives with their scores, best first: the first `count`, at most 50. If the model
   * reranks, reranked creatives come first.
   *
   * @throws EncoderBusyError, SearchUnavailableError
   */
  rank(
    context: PreparedContext,
    snapshot: ServedSnapshot,
    filter: SearchFilter | undefined,
    count: number,
  ): Promise<ScoredCandidate[]>;
}

/** Creates the ranker. @param encode encodes a context; default: the whole and the last user turn */
export function createRanker(
  encoder: Encoder,
  model: DecisionModel,
  encode: EncodeContext = createContextEncoder(encoder, undefined, model.judge !== null),
): Ranker {
  return {
    async prepare(conversation, owner, signal) {
      const encoded = await encode(conversation, owner, signal);
      const { whole, turns } = encoded.second ?? encoded;
      const vector = normalised(whole.vector);
      const query = encoder.second ? joinVectors(encoded.whole.vector, vector, encoder.second.weight) : vector;
      return { conversation, encoded, query, advertisable: advertisable(whole, turns[0]!) };
    },
    async rank(context, snapshot, filter, count) {
      const { query, conversation } = context;
      const ranking = await rank(snapshot, query, newestText(conversation), model, filter);
      const { candidates, rows } = ranking;
      const own = context.query.subarray(0, context.encoded.whole.vector.length);
      /** Cosine of the first encoder alone. */
      const cosine = ({ label, similarity }: Candidate): number =>
        encoder.second === undefined
          ? similarity
          : (1 + encoder.second.weight) * dot(rows.vectors, rows.from(label), own);
      const scoredAt = (at: number, rerankLogOdds: number | null): ScoredCandidate => {
        const inputs = { advertisable: context.advertisable ?? 0, rerankLogOdds, missingRanks: model.missingRanks };
        const ranked = featuresOf(ranking, at, inputs);
        // Both encoders together rank better than one, but the first alone better predicts whether the best ad is good
        // enough.
        const relevance = encoder.second === undefined ? ranked.relevance : cosine(candidates[at]!);
        const features = { ...ranked, relevance };
        return { ...candidates[at]!, features, score: scoreOf(features, model.score) };
      };
      const odds = await rerankLogOddsOf(candidates, cosine, context.encoded, snapshot, model);
      if (odds.length === 0) return candidates.slice(0, count).map((_, at) => scoredAt(at, null));
      const reranked = odds.map((value, at) => scoredAt(at, value)).toSorted((a, b) => b.score - a.score);
      // The others score no better than the worst reranked one, and follow in order of relevance.
      const worst = { odds: Math.min(...odds), score: reranked.at(-1)!.score };
      const others = candidates.slice(odds.length, Math.max(odds.length, count)).map((_, at): ScoredCandidate => {
        const scored = scoredAt(odds.length + at, worst.odds);
        return {
          ...scored,
          features: { ...scored.features, rerankLogOdds: null },
          score: Math.min(scored.score, worst.score),
        };
      });
      return [...reranked, ...others].slice(0, count);
    },
  };
}

/**
 * Returns the reranker's log odds for the first candidates, as many as `model.judge` asks for; empty if the encoder or
 * the model does not rerank.
 */
async function rerankLogOddsOf(
  candidates: readonly Candidate[],
  cosine: (candidate: Candidate) => number,
  { rerank }: EncodedContext,
  { creatives }: ServedSnapshot,
  model: DecisionModel,
): Promise<readonly number[]> {
  if (rerank === null || model.judge === null || candidates.length === 0) return [];
  const { most, within } = model.judge;
  const near = candidates.slice(0, most).filter(({ relevance }) => candidates[0]!.relevance - relevance <= within);
  return rerank(
    near.map((candidate) => ({ text: creativeText(creatives[candidate.label]!), similarity: cosine(candidate) })),
  );
}

function advertisable({ signals: whole }: Encoding, { signals: newest }: Encoding): number | null {
  return whole && newest && whole.advertisable.whole + newest.advertisable.turn;
}
