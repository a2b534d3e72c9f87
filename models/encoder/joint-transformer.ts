import { Tensor } from '#transformers';
import { asOneText } from './embed-creative.js';
import type { RerankCandidate, Encoding, Reading, Turn } from './encoder.js';
import { openLocalModel, row, type Tokenize } from './local-model.js';
import type { EncoderProfile } from './profile.js';
import { readJointSignals } from './signals.js';

/** A loaded joint model. Runs on the calling thread, so only workers load one. */
export interface JointTransformer {
  /** Returns an ad's vector. */
  embed(text: string): Promise<Encoding>;
  read(turns: readonly Turn[], keep: boolean): Promise<Reading>;
  /** Returns the log odds that each ad is right. @param memory the conversation's @param vector the conversation's */
  rerank(memory: Float32Array, vector: Float32Array, ads: readonly RerankCandidate[]): Promise<Float32Array>;
}

/**
 * Number of ads whose states below the joint layers are cached, about 120 kB each: later conversations rerank the same
 * ads.
 */
const KEPT_ADS = 512;

// How the token budget of a conversation is divided; the model was trained with these limits (models/training).
const NEWEST_TOKENS = 104;
const NEWEST_HEAD_TOKENS = 28;
const USER_TOKENS = 40;
const ASSISTANT_TOKENS = 24;

/**
 * Loads a joint model: a transformer split into two graphs. `lower` turns tokens into states. `upper` turns states into
 * a vector and signals or, given the memory of a conversation (keys and values of its layers), into logits for each ad.
 * So each conversation is encoded once, and the lower half of an ad is not computed again for every conversation.
 */
export async function loadJointTransformer(profile: EncoderProfile): Promise<JointTransformer> {
  const { dims } = profile;
  const { tokenize, withSpecialTokens, graph } = await openLocalModel(profile);
  const [lowerGraph, upperGraph] = [await graph('lower'), await graph('upper')];
  const adStates = new Map<string, Promise<Float32Array>>();

  const lower = async (ids: readonly number[]): Promise<Float32Array> => {
    const { states } = (await lowerGraph({ input_ids: row(withSpecialTokens(ids)) })) as { states: Tensor };
    return states.data as Float32Array;
  };
  const upper = (states: readonly Float32Array[], rerank: RerankInput = NO_RERANK): Promise<UpperOutput> => {
    const lengths = states.map(({ length }) => length / dims);
    const longest = Math.max(...lengths);
    const padded = new Float32Array(states.length * longest * dims);
    for (const [at, row] of states.entries()) padded.set(row, at * longest * dims);
    const layers = 2 * JOINT_LAYERS;
    return upperGraph({
      states: new Tensor('float32', padded, [states.length, longest, dims]),
      lengths: new Tensor('int64', BigInt64Array.from(lengths, BigInt), [states.length]),
      memory: new Tensor('float32', rerank.memory, [layers, rerank.memory.length / layers / dims, dims]),
      judging: new Tensor('float32', Float32Array.of(rerank === NO_RERANK ? 0 : 1), []),
      query: new Tensor('float32', rerank.vector ?? new Float32Array(dims), [1, dims]),
      similarity: new Tensor('float32', rerank.similarities ?? new Float32Array(states.length), [states.length]),
    }) as Promise<UpperOutput>;
  };
  const lowerOfAd = (text: string): Promise<Float32Array> => {
    const states = adStates.get(text) ?? lower(tokenize(asOneText(text)).slice(0, profile.creativeTokens));
    // Delete and set again, to keep the map in order of last use.
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
    async rerank(memory, vector, ads) {
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

/** The conversation that ads are reranked for. */
interface RerankInput {
  readonly memory: Float32Array;
  readonly vector?: Float32Array;
  readonly similarities?: Float32Array;
}
const NO_RERANK: RerankInput = { memory: new Float32Array(0) };

interface UpperOutput {
  readonly vectors: Tensor;
  readonly signals: Tensor;
  /** Per ad the logits that it is wrong, acceptable, right. */
  readonly judgements: Tensor;
  readonly kept: Tensor;
}

// Copies, so that the library cannot reuse the memory and the buffer can be transferred.
const floats = (tensor: Tensor): Float32Array => Float32Array.from(tensor.data as Float32Array);

function logOddsOfRight([wrong = 0, acceptable = 0, right = 0]: Float32Array): number {
  const most = Math.max(wrong, acceptable);
  return right - (most + Math.log(Math.exp(wrong - most) + Math.exp(acceptable - most)));
}

/**
 * Returns the tokens of a conversation within a budget. The newest turns have priority: the newest one keeps its
 * beginning and end, older ones keep less, and an assistant's keep their beginning. Turns beyond the budget are
 * dropped.
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

// The tokenizer's time is linear in length; the beginning and the end of a long text are enough.
const HEAD_CHARACTERS = 200;
const TAIL_CHARACTERS = 1800;

function middleCut(text: string): string {
  if (text.length <= HEAD_CHARACTERS + TAIL_CHARACTERS) return text;
  return `${text.slice(0, HEAD_CHARACTERS)} ${text.slice(-TAIL_CHARACTERS)}`.toWellFormed();
}
