import type { Signals } from '../../models/encoder/signals.js';
import type { GateModel } from '../../models/safety/gate-model.js';
import type { Lexicon } from '../../models/safety/lexicon.js';
import { sigmoid } from '../../models/scoring/sigmoid.js';
import type { EncodedContext } from './encoded-context.js';

/** The sensitivity gate's verdict on a conversation. */
export interface GateVerdict {
  readonly sensitive: boolean;
  /** The most likely topic; null if there is none. */
  readonly topic: string | null;
  /** Probability of acute distress or harm; null if only explicit words count. */
  readonly probability: number | null;
}

/** Decides whether a conversation is too sensitive for ads. */
export interface Gate {
  /** How many of the newest user turns the gate needs encoded one by one. */
  readonly turns: number;
  /** The same for the second encoder. */
  readonly secondTurns: number;
  /** @param allowed topics on which the publisher accepts ads */
  assess(context: EncodedContext, allowed: readonly string[]): GateVerdict;
}

/**
 * Creates the gate.
 *
 * @param model null for an encoder that the gate was not fitted for: then only explicit words count
 */
export function createGate(model: GateModel | null, lexicon: Lexicon): Gate {
  return {
    turns: model?.turns ?? 1,
    secondTurns: model?.second?.model.turns ?? 1,
    assess(context, allowed) {
      const explicit = newestTurns(context.userTurns)
        .flatMap((turn) => lexicon.explicitTopics(turn))
        .find((topic) => !allowed.includes(topic));
      const verdict = model === null ? null : verdictOf(model, context, allowed);
      if (explicit === undefined) return verdict ?? { sensitive: false, topic: null, probability: null };
      return { sensitive: true, topic: explicit, probability: verdict && Math.max(0.95, verdict.probability ?? 0) };
    },
  };
}

// The patterns run on the event loop: they search about the newest thirty long turns, or a few hundred short ones.
const MAX_CHARACTERS = 20_000;
const MAX_TURNS = 300;

function newestTurns(userTurns: readonly string[]): readonly string[] {
  let before = 0;
  return userTurns.slice(0, MAX_TURNS).filter((turn) => (before += turn.length) - turn.length <= MAX_CHARACTERS);
}

function verdictOf(model: GateModel, context: EncodedContext, allowed: readonly string[]): GateVerdict | null {
  const readings = [
    measureSensitivity(model, context),
    model.second && context.second && measureSensitivity(model.second.model, context.second),
  ];
  const [first, second] = readings;
  if (!first || (model.second && !second)) return null;
  const logit =
    model.second && second
      ? model.second.weights[0] * first.logit + model.second.weights[1] * second.logit + model.second.bias
      : first.logit;
  const open = meanOf(readings.flatMap((one) => one?.topics ?? [])).filter(({ name }) => !allowed.includes(name));
  const share = open.reduce((sum, { probability }) => sum + probability, 0);
  return {
    sensitive: logit >= model.threshold && share >= 0.5,
    topic: open[0]?.name ?? null,
    probability: sigmoid(model.platt[0] * logit + model.platt[1]),
  };
}

/**
 * Returns one encoder's log odds of distress and the topics' probabilities, from whole and turns; null without signals.
 */
export function measureSensitivity(model: GateModel, read: Pick<EncodedContext, 'whole' | 'turns'>) {
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

interface TopicShare {
  readonly name: string;
  readonly probability: number;
}

/** Returns the topics with their probabilities, half from the whole and half from the strongest turn. */
function topicsOf({ topics }: GateModel, whole: Signals, strongest: Signals): TopicShare[] {
  const logits = topics.map((_, at) => (whole.topics[at]! + strongest.topics[at]!) / 2);
  const most = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return topics.map((name, at) => ({ name, probability: weights[at]! / total }));
}

/**
 * Averages the encoders' topics, most likely first.
 *
 * @param shares topics of all encoders; each encoder's add up to 1
 */
function meanOf(shares: readonly TopicShare[]): TopicShare[] {
  const byName = new Map<string, number>();
  for (const { name, probability } of shares) byName.set(name, (byName.get(name) ?? 0) + probability);
  const total = [...byName.values()].reduce((sum, probability) => sum + probability, 0);
  return [...byName]
    .map(([name, probability]) => ({ name, probability: probability / total }))
    .toSorted((a, b) => b.probability - a.probability);
}
