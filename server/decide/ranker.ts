import type { Encoder, Encoding } from '../../models/encoder/encoder.js';
import type { DecisionModel } from '../../models/scoring/decision-model.js';
import { joinVectors } from '../../models/encoder/join-vectors.js';
import type { Exclusions } from '../../models/index/catalogue-search.js';
import { dot, normalised } from '../../models/index/vector-index.js';
import { rank, type Candidate } from '../../models/scoring/rank.js';
import { featuresOf, scoreOf, type Features } from '../../models/scoring/score.js';
import type { Creative } from '../../models/schema/creative.js';
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

/** A ranked creative with its calibrated probability. */
export interface ScoredCandidate extends Omit<Candidate, 'label'> {
  readonly creative: Creative;
  readonly features: Features;
  readonly score: number;
}

/** Selects the creatives that may be ranked. */
export interface CreativeFilter {
  readonly accept: (creative: Creative) => boolean;
  /** Creatives that `accept` always rejects, see `SearchFilter`. */
  readonly exclusions: () => Exclusions;
}

/** The two halves of matching: the encoder's work on a context, and its ranking against a snapshot. */
export interface Ranker {
  /** Encodes the conversation. @param owner @param signal see `EncodeContext` @throws EncoderBusyError */
  prepare(conversation: Conversation, owner: string | null, signal?: AbortSignal): Promise<PreparedContext>;
  /**
   * Returns the most relevant accepted creatives with their scores, best first: the first `count`, at most 50.
   *
   * @param filter null: all creatives are accepted
   * @throws SearchUnavailableError
   */
  rank(
    context: PreparedContext,
    snapshot: ServedSnapshot,
    filter: CreativeFilter | null,
    count: number,
  ): Promise<ScoredCandidate[]>;
}

/** Creates the ranker. @param encode encodes a context; default: the whole and the last user turn */
export function createRanker(
  encoder: Encoder,
  model: DecisionModel,
  encode: EncodeContext = createContextEncoder(encoder),
): Ranker {
  const { second } = encoder;
  return {
    async prepare(conversation, owner, signal) {
      const encoded = await encode(conversation, owner, signal);
      const { whole, turns } = encoded.second ?? encoded;
      const vector = normalised(whole.vector);
      const query = second ? joinVectors(encoded.whole.vector, vector, second.weight) : vector;
      return { conversation, encoded, query, advertisable: advertisable(whole, turns[0]!) };
    },
    async rank(context, snapshot, filter, count) {
      const { conversation, encoded, query } = context;
      const { creatives } = snapshot;
      const filterByLabel = filter && { ...filter, accept: (label: number) => filter.accept(creatives[label]!) };
      const ranking = await rank(snapshot, query, newestText(conversation), model, filterByLabel ?? undefined);
      const { candidates, rows } = ranking;
      const inputs = { advertisable: context.advertisable ?? 0, missingRanks: model.missingRanks };
      const own = query.subarray(0, encoded.whole.vector.length);
      return candidates.slice(0, count).map(({ label, ...candidate }, at): ScoredCandidate => {
        const ranked = featuresOf(ranking, at, inputs);
        // Both encoders together rank better than one, but the first alone better predicts whether the best ad is good
        // enough.
        const cosine = second && (1 + second.weight) * dot(rows.vectors, rows.from(label), own);
        const features = { ...ranked, relevance: cosine ?? ranked.relevance };
        return { ...candidate, creative: creatives[label]!, features, score: scoreOf(features, model.score) };
      });
    },
  };
}

function advertisable({ signals: whole }: Encoding, { signals: newest }: Encoding): number | null {
  return whole && newest && whole.advertisable.whole + newest.advertisable.turn;
}
