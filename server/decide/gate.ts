import { dot } from '../../models/index/exact.js';
import type { Probed } from '../../models/encoder/encoder.js';
import type { Expert, GateModel, Head } from '../../models/safety/gate-model.js';
import type { Lexicon } from '../../models/safety/lexicon.js';
import { sigmoid } from '../../models/scoring/query-vector.js';

/** What the encoder heard of a conversation: its newest end, and its newest user turns one by one, newest first. */
export interface Heard {
  readonly whole: Probed;
  readonly turns: readonly { readonly text: string; readonly probed: Probed }[];
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
  /** Names of the probes that `judge` needs of the whole and of each turn. */
  readonly probes: { readonly whole: readonly string[]; readonly turn: readonly string[] };
  /** How many of the newest user turns it hears one by one. */
  readonly turns: number;
  /** @param allowed topics on which the publisher accepts ads */
  judge(heard: Heard, allowed: readonly string[]): GateWord;
}

/** @param model null for an encoder that the gate was not fitted for: then only explicit words count */
export function createGate(model: GateModel | null, lexicon: Lexicon): Gate {
  const needed = (which: 'whole' | 'turn') => (model?.experts ?? []).flatMap((expert) => expert[which].probe ?? []);
  const probes = { whole: needed('whole'), turn: needed('turn') };
  return {
    probes,
    turns: model?.turns ?? 0,
    judge(heard, allowed) {
      const explicit = newestSaid(heard.said)
        .flatMap((turn) => lexicon.explicitTopics(turn))
        .find((topic) => !allowed.includes(topic));
      const word = model === null ? null : listen(model, probes, lexicon, heard, allowed);
      if (explicit === undefined) return word ?? { sensitive: false, topic: null, probability: null };
      return { sensitive: true, topic: explicit, probability: Math.max(0.95, word?.probability ?? 0) };
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

function listen(
  model: GateModel,
  probes: Gate['probes'],
  lexicon: Lexicon,
  { whole, turns }: Heard,
  allowed: readonly string[],
): GateWord {
  const words = turns.map(({ text }) => wordsSay(text, model) + (lexicon.isAlarming(text) ? model.alarm : 0));
  const worst = new Float64Array(turns.length);
  let logit = 0;
  for (const expert of model.experts) {
    const overall = headSays(expert.whole, whole, probes.whole);
    const each = turns.map(({ probed }, at) => turnSays(expert, probed, words[at]!, probes.turn));
    logit += expert.share * combine(overall, each, model);
    for (const [at, value] of each.entries()) worst[at]! += expert.share * value;
  }
  const loudest = turns[worst.indexOf(Math.max(...worst))]!.probed.vector;
  const topics = topicsOf(model, middle(whole.vector, loudest));
  const open = topics.filter(({ name }) => !allowed.includes(name));
  const share = open.reduce((sum, { probability }) => sum + probability, 0);
  return {
    sensitive: logit >= model.threshold && share >= 0.5,
    topic: open[0]?.name ?? null,
    probability: sigmoid(model.platt[0] * logit + model.platt[1]),
  };
}

function turnSays(expert: Expert, probed: Probed, words: number, names: readonly string[]): number {
  return headSays(expert.turn, probed, names) + (expert.words ? words : 0);
}

function headSays({ bias, mean, probe }: Head, { vector, says }: Probed, names: readonly string[]): number {
  return bias + dot(mean, 0, vector) + (probe === null ? 0 : says[names.indexOf(probe)]!);
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

const WORD = /[a-z]+(?:'[a-z]+)?|[0-9]+|[!?]+|:[dp)(]|😂/g;

/** The mean of what a turn's words say, each counted once; a short turn counts as four words. */
function wordsSay(turn: string, { words }: GateModel): number {
  const text = turn.toLowerCase().replaceAll('’', "'");
  const distinct = new Set((text.match(WORD) ?? []).map((word) => (/^\d/.test(word) ? '#' : word)));
  let sum = 0;
  for (const word of distinct) sum += words.get(word) ?? 0;
  return sum / Math.sqrt(Math.max(4, distinct.size));
}

function middle(a: Float32Array, b: Float32Array): Float32Array {
  return a.map((value, dim) => (value + b[dim]!) / 2);
}

/** Topics with their probabilities, likeliest first. */
function topicsOf({ topics }: GateModel, vector: Float32Array): { name: string; probability: number }[] {
  const logits = topics.names.map((_, at) => topics.biases[at]! + dot(topics.weights, at * vector.length, vector));
  const most = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return topics.names
    .map((name, at) => ({ name, probability: weights[at]! / total }))
    .toSorted((a, b) => b.probability - a.probability);
}
