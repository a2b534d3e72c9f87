import type { Encoder } from '../../models/encoder/encoder.js';
import { loadDecisionModel } from '../../models/scoring/decision-model.js';
import type { Config } from '../settings.js';
import type { LiveIndex } from '../live-index/live-index.js';
import type { Decide } from './decide.js';
import { ineligibility } from './eligibility.js';
import { createRanker } from './ranker.js';
import { read } from './reading/reading.js';

export interface DecideParts {
  readonly encoder: Encoder;
  readonly index: Pick<LiveIndex, 'current'>;
  readonly config: Pick<Config, 'dataDir' | 'floor'>;
}

/** Wires encoder, live index and decision model into the function that answers matches. */
export function createDecide({ encoder, index, config }: DecideParts): Decide {
  const model = loadDecisionModel(config.dataDir, encoder.fingerprint);
  const ranker = createRanker(encoder, model);
  return async (request, asker) => {
    // One snapshot for the whole decision: a swap meanwhile is the next request's.
    const snapshot = index.current();
    if (snapshot === null || snapshot.creatives.length === 0) return { filled: false, reason: 'no-catalogue' };
    const seen = await ranker.look(read(request));
    const [best] = ranker.rank(seen, snapshot, (label) => ineligibility(snapshot.creatives[label]!, asker) === null, 1);
    if (best === undefined) return { filled: false, reason: 'not-eligible' };
    const floor = asker.publisher.floor ?? config.floor ?? model.floor;
    if (best.score < floor) return { filled: false, reason: 'below-floor' };
    return { filled: true, creative: snapshot.creatives[best.label]!, score: best.score };
  };
}
