import type { Encoder } from '../../models/encoder/encoder.js';
import type { DecisionModel } from '../../models/scoring/decision-model.js';
import { queryVector, type ContextVectors } from '../../models/scoring/query-vector.js';
import { featuresOf, rank, scoreOf, type Candidate, type Features } from '../../models/scoring/rank.js';
import type { LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import type { Heard } from './gate.js';
import { createHearing, type Hear } from './hearing.js';
import { newest, type Reading } from './reading/reading.js';

/** A context after the encoder has seen it. */
export interface Seen {
  readonly reading: Reading;
  readonly heard: Heard;
  readonly vectors: ContextVectors;
  readonly query: Float32Array;
  /** Log odds that something could be advertised here; null with an encoder that does not say. */
  readonly advertisable: number | null;
}

/** A candidate with its calibrated probability. */
export interface Scored extends Candidate {
  readonly features: Features;
  readonly score: number;
}

/** The two halves of matching: the encoder's work on a context, and its ranking against a snapshot. */
export interface Ranker {
  /** Has the encoder hear it. @throws EncoderBusyError */
  look(reading: Reading): Promise<Seen>;
  /** The best of the accepted creatives with their scores, best first; the first `count` of at most 50. */
  rank(seen: Seen, snapshot: LoadedSnapshot, accept: ((label: number) => boolean) | undefined, count: number): Scored[];
}

/** @param hear what is heard of a context; default: the whole and the last user turn */
export function createRanker(encoder: Encoder, model: DecisionModel, hear: Hear = createHearing(encoder)): Ranker {
  return {
    async look(reading) {
      const heard = await hear(reading);
      const vectors = { whole: heard.whole.vector, last: heard.turns[0]!.vector };
      return {
        reading,
        heard,
        vectors,
        query: queryVector(vectors, model),
        advertisable: advertisable(heard),
      };
    },
    rank(seen, snapshot, accept, count) {
      const candidates = rank(snapshot, seen.query, newest(seen.reading), model, accept);
      return candidates.slice(0, count).map((candidate, at) => {
        const features = featuresOf(candidates, at, seen.advertisable ?? 0, snapshot.vectors, encoder.dims);
        return { ...candidate, features, score: scoreOf(features, model.score) };
      });
    },
  };
}

function advertisable({ whole, turns }: Heard): number | null {
  const newest = turns[0]!.signals;
  return whole.signals && newest && whole.signals.advertisable.whole + newest.advertisable.turn;
}
