import type { Signals } from '../../models/encoder/signals.js';
import type { GateModel } from '../../models/safety/gate-model.js';
import { sigmoid } from '../../models/scoring/sigmoid.js';
import type { EncodedContext } from './encoded-context.js';

/** How sensitive a conversation is, as one encoder sees it. */
export interface Sensitivity {
  /** Log odds of distress. */
  readonly logit: number;
  /** The sensitive topics; their probabilities add up to 1. */
  readonly topics: readonly TopicShare[];
}

export interface TopicShare {
  readonly name: string;
  readonly probability: number;
}

/**
 * Measures the sensitivity from the encodings of the whole conversation and its turns.
 *
 * @returns null for an encoder without signals
 */
export function measureSensitivity(
  model: GateModel,
  read: Pick<EncodedContext, 'whole' | 'turns'>,
): Sensitivity | null {
  const whole = read.whole.signals;
  const turns = read.turns.flatMap(({ signals }) => signals ?? []);
  if (whole === null || turns.length === 0) return null;
  if (whole.topics.length !== model.topics.length) {
    throw new Error(`gate.json names ${model.topics.length} topics, the encoder's signals have ${whole.topics.length}`);
  }
  const each = turns.map(({ sensitive }) => sensitive.turn);
  const strongest = turns[each.indexOf(Math.max(...each))]!;
  const { advertisable } = whole;
  const need = (model.need ?? 0) * (advertisable.whole + advertisable.turn);
  return { logit: combine(whole.sensitive.whole, each, model) - need, topics: topicsOf(model, whole, strongest) };
}

/**
 * Combines conversation and turns, or takes one turn that is strong enough alone. Nothing here grows with the number of
 * turns: a long ordinary chat stays below the threshold, and an old disclosure keeps its weight.
 */
function combine(whole: number, turns: readonly number[], { softness, gain, offset }: GateModel): number {
  const most = Math.max(...turns);
  const weights = turns.map((turn) => Math.exp(softness * (turn - most)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const strongest = turns.reduce((sum, turn, at) => sum + turn * weights[at]!, 0) / total;
  const together = whole + strongest;
  const alone = gain * strongest - offset;
  const share = sigmoid(together - alone);
  return share * together + (1 - share) * alone;
}

/** Returns the topics with their probabilities, half from the whole and half from the strongest turn. */
function topicsOf({ topics }: GateModel, whole: Signals, strongest: Signals): TopicShare[] {
  const logits = topics.map((_, at) => (whole.topics[at]! + strongest.topics[at]!) / 2);
  const most = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return topics.map((name, at) => ({ name, probability: weights[at]! / total }));
}
