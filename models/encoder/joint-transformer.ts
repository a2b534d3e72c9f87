import { Tensor } from '#transformers';
import type { Encoding, Reading, Turn } from './encoder.js';
import { openLocalModel, row, type Tokenize } from './local-model.js';
import type { EncoderProfile } from './profile.js';
import { readJointSignals } from './signals.js';

/** A loaded joint model. Runs on the calling thread, so only workers load one. */
export interface JointTransformer {
  /** Returns an ad's vector. */
  embed(text: string): Promise<Encoding>;
  read(turns: readonly Turn[]): Promise<Reading>;
}

// How the token budget of a conversation is divided; the model was trained with these limits (models/training).
const NEWEST_TOKENS = 104;
const NEWEST_HEAD_TOKENS = 28;
const USER_TOKENS = 40;
const ASSISTANT_TOKENS = 24;

/**
 * Loads a joint model: a transformer split into two graphs. `lower` turns tokens into states, `upper` states into a
 * vector and signals.
 */
export async function loadJointTransformer(profile: EncoderProfile): Promise<JointTransformer> {
  const { tokenize, withSpecialTokens, graph } = await openLocalModel(profile);
  const [lowerGraph, upperGraph] = [await graph('lower'), await graph('upper')];
  const unused = unusedInputs(profile.dims);

  const encode = async (ids: readonly number[]): Promise<UpperOutput> => {
    const { states } = (await lowerGraph({ input_ids: row(withSpecialTokens(ids)) })) as { states: Tensor };
    const lengths = new Tensor('int64', BigInt64Array.of(BigInt(states.dims[1]!)), [1]);
    return upperGraph({ states, lengths, ...unused }) as Promise<UpperOutput>;
  };

  return {
    async embed(text) {
      const { vectors } = await encode(tokenize(text).slice(0, profile.creativeTokens));
      return { vector: floats(vectors), signals: null };
    },
    async read(turns) {
      const { ids, complete } = conversationTokens(turns, tokenize, profile.contextTokens);
      const { vectors, signals } = await encode(ids);
      return { vector: floats(vectors), signals: readJointSignals(floats(signals)), complete };
    },
  };
}

/** Inputs of `upper` that only serve to judge an ad beside a conversation; empty or 0, they change nothing. */
function unusedInputs(dims: number) {
  return {
    memory: new Tensor('float32', new Float32Array(0), [2 * JOINT_LAYERS, 0, dims]),
    judging: new Tensor('float32', new Float32Array(1), []),
    query: new Tensor('float32', new Float32Array(dims), [1, dims]),
    similarity: new Tensor('float32', new Float32Array(1), [1]),
  };
}

const JOINT_LAYERS = 4;

interface UpperOutput {
  readonly vectors: Tensor;
  readonly signals: Tensor;
}

// Copies, so that the library cannot reuse the memory and the buffer can be transferred.
const floats = (tensor: Tensor): Float32Array => Float32Array.from(tensor.data as Float32Array);

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
