import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GateModel } from '../../models/safety/gate-model.js';
import type { Lexicon } from '../../models/safety/lexicon.js';
import { sigmoid } from '../../models/scoring/sigmoid.js';
import type { EncodedContext } from './encoded-context.js';
import { measureSensitivity, type TopicShare } from './sensitivity.js';

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
  assess(context: EncodedContext, allowed: readonly string[]): Promise<GateVerdict>;
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
    async assess(context, allowed) {
      const explicit = await explicitTopic(lexicon, newestTurns(context.userTurns), allowed);
      const verdict = model === null ? null : verdictOf(model, context, allowed);
      if (explicit === undefined) return verdict ?? { sensitive: false, topic: null, probability: null };
      return { sensitive: true, topic: explicit, probability: verdict && Math.max(0.95, verdict.probability ?? 0) };
    },
  };
}

/**
 * Work between two turns of the event loop, in characters searched: a millisecond or two, but eight while V8 still
 * interprets the patterns.
 */
const SEARCHED_AT_ONCE = 2000;
/** How many characters a turn costs beside its own, since each has to be searched in all languages. */
const COST_OF_TURN = 60;

/** Searches the turns one by one. @returns the first topic named that is not allowed */
async function explicitTopic(
  lexicon: Lexicon,
  turns: readonly string[],
  allowed: readonly string[],
): Promise<string | undefined> {
  let searched = 0;
  for (const turn of turns) {
    searched += COST_OF_TURN + turn.length;
    if (searched > SEARCHED_AT_ONCE) {
      await nextTurn();
      searched = COST_OF_TURN + turn.length;
    }
    const topic = lexicon.explicitTopics(turn).find((name) => !allowed.includes(name));
    if (topic !== undefined) return topic;
  }
  return undefined;
}

// About the newest thirty long turns, or a few hundred short ones.
const MAX_CHARACTERS = 20_000;
const MAX_TURNS = 300;

function newestTurns(userTurns: readonly string[]): readonly string[] {
  let before = 0;
  return userTurns.slice(0, MAX_TURNS).filter((turn) => (before += turn.length) - turn.length <= MAX_CHARACTERS);
}

function verdictOf(model: GateModel, context: EncodedContext, allowed: readonly string[]): GateVerdict | null {
  const measured = [
    measureSensitivity(model, context),
    model.second && context.second && measureSensitivity(model.second.model, context.second),
  ];
  const [first, second] = measured;
  if (!first || (model.second && !second)) return null;
  const logit =
    model.second && second
      ? model.second.weights[0] * first.logit + model.second.weights[1] * second.logit + model.second.bias
      : first.logit;
  const topics = meanOf(measured.flatMap((one) => one?.topics ?? []));
  const notAllowed = topics.filter(({ name }) => !allowed.includes(name));
  const share = notAllowed.reduce((sum, { probability }) => sum + probability, 0);
  return {
    sensitive: logit >= model.threshold && share >= 0.5,
    topic: notAllowed[0]?.name ?? null,
    probability: sigmoid(model.platt[0] * logit + model.platt[1]),
  };
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
