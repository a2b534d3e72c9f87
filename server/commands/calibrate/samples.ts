import pLimit from 'p-limit';
import { UsageError } from '../../../platform/command-line/run-command.js';
import { scaled } from '../../../models/scoring/score.js';
import type { DecisionModel } from '../../../models/scoring/decision-model.js';
import type { Encoder } from '../../../models/encoder/encoder.js';
import type { LoadedSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { createRanker } from '../../decide/ranker.js';
import { readConversation } from '../../decide/conversation/conversation.js';
import type { RecordedContext } from '../shared/read-contexts.js';

/** The best ad for a context: the features of its score, and whether it is right. */
export interface LabelledAnswer {
  /** As returned by `scaled`. */
  readonly features: readonly number[];
  readonly right: boolean;
  /** True if no ad would be right. */
  readonly noAd: boolean;
}

/** A set of contexts with known answers. */
export interface LabelledSet {
  readonly name: string;
  readonly answers: readonly LabelledAnswer[];
}

export interface SampleOptions {
  readonly encoder: Encoder;
  readonly snapshot: LoadedSnapshot;
  readonly model: DecisionModel;
  /** How many contexts are ranked at once. */
  readonly concurrency: number;
}

/**
 * Ranks every context with the other parts of the model, which calibration does not change. Leaves out contexts whose
 * right answer is disputable: nothing can be learned from them.
 *
 * @throws UsageError when a context does not say what is right
 */
export async function answersOf(
  contexts: readonly RecordedContext[],
  { encoder, snapshot, model, concurrency }: SampleOptions,
): Promise<LabelledAnswer[]> {
  const ranker = createRanker(encoder, model);
  const clear = contexts.filter(({ borderline }) => borderline !== true);
  const unknown = clear.find(({ relevant }) => relevant === undefined);
  if (unknown !== undefined) {
    const start = JSON.stringify(readConversation(unknown).whole.slice(0, 40));
    throw new UsageError(`calibration needs "relevant" in every context (empty: no ad is right); ${start} has none`);
  }
  return pLimit(concurrency).map(clear, async (context) => {
    const prepared = await ranker.prepare(readConversation(context), null);
    const [best] = await ranker.rank(prepared, snapshot, null, 1);
    if (best === undefined) throw new UsageError('the catalogue is empty');
    const relevant = context.relevant!;
    const right = relevant.includes(best.creative.id);
    return { features: scaled(best.features), right, noAd: relevant.length === 0 };
  });
}
