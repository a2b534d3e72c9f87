import type { Sensed } from '../../models/encoder/encoder.js';
import type { Signals } from '../../models/encoder/signals.js';
import type { GateModel } from '../../models/safety/gate-model.js';
import type { Lexicon } from '../../models/safety/lexicon.js';
import { sigmoid } from '../../models/scoring/query-vector.js';

/** What the encoder heard of a conversation: its newest end, and its newest user turns one by one, newest first. */
export interface Heard {
  readonly whole: Sensed;
  readonly turns: readonly Sensed[];
  /** Every user turn, newest first, also those that were not heard one by one. */
  readonly said: readonly string[];
}

/** The gate's word on a conversation. */
export interface GateWord {
  readonly sensitive: boolean;
  /** What it is about, or would be; null when nothing points anywhere. */
  readonly topic: string | null;
  /** Probability of acute distress or harm; null where only words are looked at. */
  readonly probability: number | null;
}

/** Hears whether a conversation is one that must have no ad. */
export interface Gate {
  /** How many of the newest user turns it hears one by one. */
  readonly turns: number;
  /** @param allowed topics on which the publisher accepts ads */
  judge(heard: Heard, allowed: readonly string[]): GateWord;
}

/** @param model null for an encoder that the gate was not fitted for: then only explicit words count */
export function createGate(model: GateModel | null, lexicon: Lexicon): Gate {
  return {
    turns: model?.turns ?? 1,
    judge(heard, allowed) {
      const explicit = newestSaid(heard.said)
        .flatMap((turn) => lexicon.explicitTopics(turn))
        .find((topic) => !allowed.includes(topic));
      const word = model === null ? null : listen(model, heard, allowed);
      if (explicit === undefined) return word ?? { sensitive: false, topic: null, probability: null };
      return { sensitive: true, topic: explicit, probability: word && Math.max(0.95, word.probability ?? 0) };
    },
  };
}

// Patterns are run on the event loop: some thirty long turns back, or some hundreds of short ones.
const LONGEST_SAID = 20_000;
const MOST_SAID = 300;

function newestSaid(said: readonly string[]): readonly string[] {
  let before = 0;
  return said.slice(0, MOST_SAID).filter((turn) => (before += turn.length) - turn.length <= LONGEST_SAID);
}

function listen(model: GateModel, heard: Heard, allowed: readonly string[]): GateWord | null {
  const whole = heard.whole.signals;
  const turns = heard.turns.flatMap(({ signals }) => signals ?? []);
  if (whole === null || turns.length === 0) return null;
  if (whole.topics.length !== model.topics.length) {
    throw new Error(`gate.json names ${model.topics.length} topics, the encoder's signals have ${whole.topics.length}`);
  }
  const each = turns.map(({ sensitive }) => sensitive.turn);
  const logit = combine(whole.sensitive.whole, each, model);
  const loudest = turns[each.indexOf(Math.max(...each))]!;
  const open = topicsOf(model, whole, loudest).filter(({ name }) => !allowed.includes(name));
  const share = open.reduce((sum, { probability }) => sum + probability, 0);
  return {
    sensitive: logit >= model.threshold && share >= 0.5,
    topic: open[0]?.name ?? null,
    probability: sigmoid(model.platt[0] * logit + model.platt[1]),
  };
}

/**
 * Conversation and turns together, or one turn strong enough alone. Nothing here grows with the number of turns, so that
 * a long ordinary chat stays ordinary, and an old confession keeps its weight.
 */
function combine(whole: number, turns: readonly number[], { softness, gain, offset }: GateModel): number {
  const most = Math.max(...turns);
  const weights = turns.map((turn) => Math.exp(softness * (turn - most)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const loudest = turns.reduce((sum, turn, at) => sum + turn * weights[at]!, 0) / total;
  const together = whole + loudest;
  const alone = gain * loudest - offset;
  const share = sigmoid(together - alone);
  return share * together + (1 - share) * alone;
}

/** Topics with their probabilities, likeliest first: from the whole and the loudest turn, half each. */
function topicsOf({ topics }: GateModel, whole: Signals, loudest: Signals): { name: string; probability: number }[] {
  const logits = topics.map((_, at) => (whole.topics[at]! + loudest.topics[at]!) / 2);
  const most = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const byName = new Map<string, number>();
  for (const [at, name] of topics.entries()) byName.set(name, (byName.get(name) ?? 0) + weights[at]! / total);
  return [...byName]
    .map(([name, probability]) => ({ name, probability }))
    .toSorted((a, b) => b.probability - a.probability);
}
