import { creativeText } from '../../models/encoder/embed-creative.js';
import type { Encoder } from '../../models/encoder/encoder.js';
import type { DecisionModel } from '../../models/scoring/decision-model.js';
import { queryVector, type ContextVectors } from '../../models/scoring/query-vector.js';
import { rank, type Candidate } from '../../models/scoring/rank.js';
import { featuresOf, scoreOf, type Features } from '../../models/scoring/score.js';
import type { LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import type { EncodedContext } from './gate.js';
import { createContextEncoder, type EncodeContext } from './encode-context.js';
import { newestText, type Conversation } from './conversation/conversation.js';

/** A context, encoded. */
export interface PreparedContext {
  readonly conversation: Conversation;
  readonly encoded: EncodedContext;
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
   */
  rank(
    context: PreparedContext,
    snapshot: LoadedSnapshot,
    accept: ((label: number) => boolean) | undefined,
    count: number,
  ): Promise<ScoredCandidate[]>;
}

/** @param encode how a context is encoded; default: the whole and the last user turn */
export function createRanker(
  encoder: Encoder,
  model: DecisionModel,
  encode: EncodeContext = createContextEncoder(encoder, 1, model.judge !== null),
): Ranker {
  return {
    async prepare(conversation, owner, signal) {
      const encoded = await encode(conversation, owner, signal);
      const vectors = { whole: encoded.whole.vector, last: encoded.turns[0]!.vector };
      return {
        conversation,
        encoded,
        vectors,
        query: queryVector(vectors, model),
        advertisable: advertisable(encoded),
      };
    },
    async rank(context, snapshot, accept, count) {
      const candidates = rank(snapshot, context.query, newestText(context.conversation), model, accept);
      const scoredAt = (at: number, judged: number | null): ScoredCandidate => {
        const { vectors } = snapshot;
        const features = featuresOf(candidates, at, context.advertisable ?? 0, vectors, encoder.dims, judged);
        return { ...candidates[at]!, features, score: scoreOf(features, model.score) };
      };
      const odds = await judgementsOf(candidates, context.encoded, snapshot, model);
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
  { judge }: EncodedContext,
  { creatives }: LoadedSnapshot,
  model: DecisionModel,
): Promise<readonly number[]> {
  if (judge === null || model.judge === null || candidates.length === 0) return [];
  const { most, within } = model.judge;
  const near = candidates.slice(0, most).filter(({ relevance }) => candidates[0]!.relevance - relevance <= within);
  return judge(near.map(({ label, similarity }) => ({ text: creativeText(creatives[label]!), similarity })));
}

function advertisable({ whole, turns }: EncodedContext): number | null {
  const newest = turns[0]!.signals;
  return whole.signals && newest && whole.signals.advertisable.whole + newest.advertisable.turn;
}
