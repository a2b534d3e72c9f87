import { normalised } from '../index/vector-index.js';
import type { Encoding, TextKind } from './encoder.js';
import { openLocalModel, row, type Tokenize } from './local-model.js';
import { newestCharacters } from './newest-characters.js';
import type { EncoderProfile, Pooling } from './profile.js';
import { readSignals } from './signals.js';

/**
 * Encodes a text into a unit vector, with the model's signals if it has any. Runs on the calling thread, so only
 * workers load one.
 */
export type Transformer = (text: string, kind: TextKind) => Promise<Encoding>;

/**
 * Loads a model of one graph.
 *
 * Calls tokenizer and model separately, since the library's own pipeline keeps the oldest end of a long text and a
 * conversation needs the newest. Runs one text at a time, unpadded: in an int8 model a batch shares its activation
 * scales, so a text's vector would depend on the other texts of its batch.
 */
export async function loadTransformer(profile: EncoderProfile): Promise<Transformer> {
  const { tokenize, withSpecialTokens, graph } = await openLocalModel(profile);
  const model = await graph();

  return async (text, kind) => {
    const kept = kind === 'context' ? newest(tokenize, text, profile) : first(tokenize, text, profile);
    const ids = withSpecialTokens(kept);
    const inputs = {
      input_ids: row(ids),
      attention_mask: row(ids.map(() => 1)),
      token_type_ids: row(ids.map(() => 0)),
    };
    const { last_hidden_state: states, signals } = (await model(inputs)) as Output;
    return {
      vector: normalised(pool(states.data, profile.dims, profile.pooling)),
      signals: signals === undefined ? null : readSignals(signals.data),
    };
  };
}

interface Output {
  readonly last_hidden_state: { readonly data: Float32Array };
  /** The second output of the bundled models; other models have none. */
  readonly signals?: { readonly data: Float32Array };
}

// Characters that the tokenizer gets per token kept: its time is linear in length, and English has 4 to 5 per token.
const CHARACTERS_PER_TOKEN = 8;

function newest(tokenize: Tokenize, text: string, { contextPrefix, contextTokens }: EncoderProfile): number[] {
  const end = newestCharacters(text, contextTokens * CHARACTERS_PER_TOKEN);
  return [...tokenize(contextPrefix), ...tokenize(end).slice(-contextTokens)];
}

function first(tokenize: Tokenize, text: string, { creativePrefix, creativeTokens }: EncoderProfile): number[] {
  const start = text.slice(0, creativeTokens * CHARACTERS_PER_TOKEN).toWellFormed();
  return [...tokenize(creativePrefix), ...tokenize(start).slice(0, creativeTokens)];
}

/** @param states token states, row-major: tokens × dims */
function pool(states: Float32Array, dims: number, pooling: Pooling): Float32Array {
  if (pooling === 'cls') return states.slice(0, dims);
  // The sum does for the mean: normalising removes the length.
  const sum = new Float32Array(dims);
  for (let at = 0; at < states.length; at += dims) {
    for (let dim = 0; dim < dims; dim++) sum[dim]! += states[at + dim]!;
  }
  return sum;
}
