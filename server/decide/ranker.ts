import type { Encoder } from '../../models/encoder/encoder.js';
import type { DecisionModel } from '../../models/scoring/decision-model.js';
import { queryVector, type ContextVectors } from '../../models/scoring/query-vector.js';
import { featuresOf, rank, scoreOf, type Candidate, type Features } from '../../models/scoring/rank.js';
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
  /** Has it encoded. @throws EncoderBusyError */
  prepare(conversation: Conversation): Promise<PreparedContext>;
  /** The best of the accepted creatives with their scores, best first; the first `count` of at most 50. */
  rank(
    context: PreparedContext,
    snapshot: LoadedSnapshot,
    accept: ((label: number) => boolean) | undefined,
    count: number,
  ): ScoredCandidate[];
}

/** @param encode how a context is encoded; default: the whole and the last user turn */
export function createRanker(
  encoder: Encoder,
  model: DecisionModel,
  encode: EncodeContext = createContextEncoder(encoder),
): Ranker {
  return {
    async prepare(conversation) {
      const encoded = await encode(conversation);
      const vectors = { whole: encoded.whole.vector, last: encoded.turns[0]!.vector };
      return {
        conversation,
        encoded,
        vectors,
        query: queryVector(vectors, model),
        advertisable: advertisable(encoded),
      };
    },
    rank(context, snapshot, accept, count) {
      const candidates = rank(snapshot, context.query, newestText(context.conversation), model, accept);
      return candidates.slice(0, count).map((candidate, at) => {
        const features = featuresOf(candidates, at, context.advertisable ?? 0, snapshot.vectors, encoder.dims);
        return { ...candidate, features, score: scoreOf(features, model.score) };
      });
    },
  };
}

function advertisable({ whole, turns }: EncodedContext): number | null {
  const newest = turns[0]!.signals;
  return whole.signals && newest && whole.signals.advertisable.whole + newest.advertisable.turn;
}
