import { creativeText } from '../../models/encoder/embed-creative.js';
import type { Encoder, Encoding } from '../../models/encoder/encoder.js';
import type { DecisionModel } from '../../models/scoring/decision-model.js';
import { joinVectors } from '../../models/encoder/join-vectors.js';
import type { SearchFilter } from '../../models/index/catalogue-search.js';
import { dot } from '../../models/index/vector-index.js';
import { queryVector, type ContextVectors } from '../../models/scoring/query-vector.js';
import { rank, type Candidate } from '../../models/scoring/rank.js';
import { featuresOf, scoreOf, type Features } from '../../models/scoring/score.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { createContextEncoder } from './encode-context.js';
import type { EncodeContext, EncodedContext } from './encoded-context.js';
import { newestText, type Conversation } from './conversation/conversation.js';

/** A context, encoded. */
export interface PreparedContext {
  readonly conversation: Conversation;
  readonly encoded: EncodedContext;
  /** By the encoder that reads the last turn apart: the second reader, where there is one. */
  readonly vectors: ContextVectors;
  readonly query: Float32Array;
  /** Log odds that something could be advertised here; null with an encoder that does not say. */
  readonly advertisable: number | null;
}

/** A candidate with its calibrated probability. */
export interface ScoredCandidate extends Candidate {
  readonly features: Features;
  readonly score: number;
}

/** The two halves of matching: the encoder's work on a context, and its ranking against a snapshot. */
export interface Ranker {
  /** Has it encoded. @param owner @param signal see `EncodeContext` @throws EncoderBusyError */
  prepare(conversation: Conversation, owner: string | null, signal?: AbortSignal): Promise<PreparedContext>;
  /**
   * The best of the accepted creatives with their scores, best first; the first `count` of at most 50. An encoder that
   * judges puts those that it judged in front.
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

/** @param encode how a context is encoded; default: the whole and the last user turn */
export function createRanker(
  encoder: Encoder,
  model: DecisionModel,
  encode: EncodeContext = createContextEncoder(encoder, undefined, model.judge !== null),
): Ranker {
  return {
    async prepare(conversation, owner, signal) {
      const encoded = await encode(conversation, owner, signal);
      const { second } = encoded;
      const { whole, turns } = second ?? encoded;
      const vectors = { whole: whole.vector, last: turns[0]!.vector };
      const moved = queryVector(vectors, model);
      const query = second ? joinVectors(encoded.whole.vector, moved, encoder.second!.weight) : moved;
      return { conversation, encoded, vectors, query, advertisable: advertisable(whole, turns[0]!) };
    },
    async rank(context, snapshot, filter, count) {
      const { query, conversation } = context;
      const { candidates, rows } = await rank(snapshot, query, newestText(conversation), model, filter);
      const own = context.query.subarray(0, context.encoded.whole.vector.length);
      /** The first reader's cosine alone. */
      const cosine = ({ label, similarity }: Candidate): number =>
        encoder.second === undefined
          ? similarity
          : (1 + encoder.second.weight) * dot(rows.vectors, rows.from(label), own);
      const scoredAt = (at: number, judged: number | null): ScoredCandidate => {
        const ranked = featuresOf(candidates, at, context.advertisable ?? 0, rows, judged, model.missingRanks);
        // Two readers order better than one, but the first alone says more of whether the best is good enough.
        const relevance = encoder.second === undefined ? ranked.relevance : cosine(candidates[at]!);
        const features = { ...ranked, relevance };
        return { ...candidates[at]!, features, score: scoreOf(features, model.score) };
      };
      const odds = await judgementsOf(candidates, cosine, context.encoded, snapshot, model);
      if (odds.length === 0) return candidates.slice(0, count).map((_, at) => scoredAt(at, null));
      const judged = odds.map((value, at) => scoredAt(at, value)).toSorted((a, b) => b.score - a.score);
      // The others count as judged no better than the worst, and stay behind in the order of relevance.
      const worst = { odds: Math.min(...odds), score: judged.at(-1)!.score };
      const others = candidates.slice(odds.length, Math.max(odds.length, count)).map((_, at): ScoredCandidate => {
        const scored = scoredAt(odds.length + at, worst.odds);
        return {
          ...scored,
          features: { ...scored.features, judged: null },
          score: Math.min(scored.score, worst.score),
        };
      });
      return [...judged, ...others].slice(0, count);
    },
  };
}

/** The judgements of the first candidates, as many as pay; empty where encoder or model judges none. */
async function judgementsOf(
  candidates: readonly Candidate[],
  cosine: (candidate: Candidate) => number,
  { judge }: EncodedContext,
  { creatives }: ServedSnapshot,
  model: DecisionModel,
): Promise<readonly number[]> {
  if (judge === null || model.judge === null || candidates.length === 0) return [];
  const { most, within } = model.judge;
  const near = candidates.slice(0, most).filter(({ relevance }) => candidates[0]!.relevance - relevance <= within);
  return judge(
    near.map((candidate) => ({ text: creativeText(creatives[candidate.label]!), similarity: cosine(candidate) })),
  );
}

function advertisable({ signals: whole }: Encoding, { signals: newest }: Encoding): number | null {
  return whole && newest && whole.advertisable.whole + newest.advertisable.turn;
}
