import { Tensor } from '@xenova/transformers';
import { asOneText } from './embed-creative.js';
import type { RerankCandidate, Encoding, Reading, Turn } from './encoder.js';
import { openLocalModel, row, type Tokenize } from './local-model.js';
import type { EncoderProfile } from './profile.js';
import { readJointSignals } from './signals.js';

/** A loaded joint model. Runs on the calling thread, so only workers hold one. */
export interface JointTransformer {
  /** An ad's vector. */
  embed(text: string): Promise<Encoding>;
  read(turns: readonly Turn[], keep: boolean): Promise<Reading>;
  /** Log odds that each ad is right. @param memory of the conversation @param vector likewise */
  judge(memory: Float32Array, vector: Float32Array, ads: readonly RerankCandidate[]): Promise<Float32Array>;
}

/** Ads whose states below the joint layers are kept, about 120 kB each: the next conversation judges the same ones again. */
const KEPT_ADS = 512;

// How the tokens of a conversation are shared out; the model was trained so (models/training).
const NEWEST_TOKENS = 104;
const NEWEST_HEAD_TOKENS = 28;
const USER_TOKENS = 40;
const ASSISTANT_TOKENS = 24;

/**
 * Loads a joint model: a transformer cut in two graphs. `lower` turns tokens into states; `upper` turns
 * states into vector and signals, or, beside what it keeps of a conversation (keys and values of its layers), into a
 * judgement of each ad. So a conversation is read once, and an ad's lower half not again for every conversation.
 */
export async function loadJointTransformer(profile: EncoderProfile): Promise<JointTransformer> {
  const { dims } = profile;
  const { tokenize, withMarks, graph } = await openLocalModel(profile);
  const [lowerGraph, upperGraph] = [await graph('lower'), await graph('upper')];
  const adStates = new Map<string, Promise<Float32Array>>();

  const lower = async (ids: readonly number[]): Promise<Float32Array> => {
    const { states } = (await lowerGraph({ input_ids: row(withMarks(ids)) })) as { states: Tensor };
    return states.data as Float32Array;
  };
  const upper = (states: readonly Float32Array[], beside: Beside = NOTHING): Promise<UpperOutput> => {
    const lengths = states.map(({ length }) => length / dims);
    const longest = Math.max(...lengths);
    const padded = new Float32Array(states.length * longest * dims);
    for (const [at, row] of states.entries()) padded.set(row, at * longest * dims);
    const layers = 2 * JOINT_LAYERS;
    return upperGraph({
      states: new Tensor('float32', padded, [states.length, longest, dims]),
      lengths: new Tensor('int64', BigInt64Array.from(lengths, BigInt), [states.length]),
      memory: new Tensor('float32', beside.memory, [layers, beside.memory.length / layers / dims, dims]),
      judging: new Tensor('float32', Float32Array.of(beside === NOTHING ? 0 : 1), []),
      query: new Tensor('float32', beside.vector ?? new Float32Array(dims), [1, dims]),
      similarity: new Tensor('float32', beside.similarities ?? new Float32Array(states.length), [states.length]),
    }) as Promise<UpperOutput>;
  };
  const lowerOfAd = (text: string): Promise<Float32Array> => {
    const states = adStates.get(text) ?? lower(tokenize(asOneText(text)).slice(0, profile.creativeTokens));
    // Deleted and set again, so that the map's order is that of last use.
    adStates.delete(text);
    adStates.set(text, states);
    if (adStates.size > KEPT_ADS) adStates.delete(adStates.keys().next().value!);
    return states;
  };

  return {
    async embed(text) {
      const { vectors } = await upper([await lower(tokenize(text).slice(0, profile.creativeTokens))]);
      return { vector: floats(vectors), signals: null };
    },
    async read(turns, keep) {
      const { ids, complete } = conversationTokens(turns, tokenize, profile.contextTokens);
      const { vectors, signals, kept } = await upper([await lower(ids)]);
      const memory = keep ? floats(kept) : null;
      return { vector: floats(vectors), signals: readJointSignals(floats(signals)), complete, memory };
    },
    async judge(memory, vector, ads) {
      const states: Float32Array[] = [];
      for (const { text } of ads) states.push(await lowerOfAd(text));
      const similarities = Float32Array.from(ads, ({ similarity }) => similarity);
      const { judgements } = await upper(states, { memory, vector, similarities });
      const values = floats(judgements);
      return Float32Array.from(ads, (_, at) => logOddsOfRight(values.subarray(3 * at, 3 * at + 3)));
    },
  };
}

const JOINT_LAYERS = 4;

/** What ads are read beside. */
interface Beside {
  readonly memory: Float32Array;
  readonly vector?: Float32Array;
  readonly similarities?: Float32Array;
}
const NOTHING: Beside = { memory: new Float32Array(0) };

interface UpperOutput {
  readonly vectors: Tensor;
  readonly signals: Tensor;
  /** For each ad the logits that it is wrong, acceptable, right. */
  readonly judgements: Tensor;
  readonly kept: Tensor;
}

// A copy that the library cannot reuse, and whose buffer can be transferred.
const floats = (tensor: Tensor): Float32Array => Float32Array.from(tensor.data as Float32Array);

function logOddsOfRight([wrong = 0, acceptable = 0, right = 0]: Float32Array): number {
  const most = Math.max(wrong, acceptable);
  return right - (most + Math.log(Math.exp(wrong - most) + Math.exp(acceptable - most)));
}

/**
 * The tokens of a conversation, newest turns first served: of the newest its beginning and end, of older ones less, of an
 * assistant's the beginning. What is left over when the budget is spent is not read.
 */
export function conversationTokens(
  turns: readonly Turn[],
  tokenize: Tokenize,
  budget: number,
): { ids: number[]; complete: boolean } {
  const kept: number[][] = [];
  let left = budget;
  let complete = true;
  for (const [back, { speaker, text }] of turns.toReversed().entries()) {
    const all = tokenize((speaker === 'user' ? 'User: ' : 'Assistant: ') + middleCut(text));
    const ids = shortened(all, back === 0 ? 'newest' : speaker);
    if (back > 0 && ids.length > left) return { ids: kept.flat(), complete: false };
    const isCut = ids.length < all.length || text.length > HEAD_CHARACTERS + TAIL_CHARACTERS;
    if (isCut && speaker === 'user') complete = false;
    kept.unshift(ids);
    left -= ids.length;
  }
  return { ids: kept.flat(), complete };
}

function shortened(ids: number[], turn: 'newest' | Turn['speaker']): number[] {
  if (turn === 'newest') {
    if (ids.length <= NEWEST_TOKENS) return ids;
    return [...ids.slice(0, NEWEST_HEAD_TOKENS), ...ids.slice(NEWEST_HEAD_TOKENS - NEWEST_TOKENS)];
  }
  if (turn !== 'user') return ids.slice(0, ASSISTANT_TOKENS);
  return ids.length <= USER_TOKENS ? ids : [...ids.slice(0, USER_TOKENS / 2), ...ids.slice(-USER_TOKENS / 2)];
}

// The tokenizer's time is linear in length: of a long text, its beginning and its end are enough.
const HEAD_CHARACTERS = 200;
const TAIL_CHARACTERS = 1800;

function middleCut(text: string): string {
  if (text.length <= HEAD_CHARACTERS) return text;
  const rest = text.slice(HEAD_CHARACTERS).slice(-TAIL_CHARACTERS);
  return `${text.slice(0, HEAD_CHARACTERS)} ${rest}`.toWellFormed();
}
