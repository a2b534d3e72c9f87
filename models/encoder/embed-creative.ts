import { setTimeout as pause } from 'node:timers/promises';
import { normalised } from '../index/vector-index.js';
import { EncoderBusyError, type Encoder, type BasicEncoder } from './encoder.js';
import { joinVectors } from './join-vectors.js';

/** The fields of a creative that are embedded. */
interface CreativeMessage {
  readonly name: string;
  readonly text: string | null;
  readonly categories: readonly string[];
}

/** Weight of the categories relative to the message; chosen on the dev splits (models/EXPERIMENTS.md). */
const CATEGORIES_WEIGHT = 0.25;

/** Part of every encoder's fingerprint: vectors made by different rules are not comparable. */
export const CREATIVE_RULES = { single: `message + ${CATEGORIES_WEIGHT} categories`, joint: 'message [categories]' };

/**
 * Returns everything that determines a creative's vector as one text: its message, and on a second line its categories,
 * if any.
 */
export function creativeText({ name, text, categories }: CreativeMessage): string {
  const message = oneLine(text ? `${name}. ${text}` : name);
  return categories.length === 0 ? message : `${message}\n${oneLine(categories.join(', '))}`;
}

/**
 * Returns the vector of a creative. A joint encoder embeds message and categories as one text. Other encoders embed
 * both, and move the message's vector a little towards that of the categories. A second encoder's vector is appended.
 * Requests have priority: a full queue is retried until it has room.
 *
 * @param text the result of `creativeText`
 * @returns a unit vector
 */
export async function embedCreative(encoder: Encoder, text: string): Promise<Float32Array> {
  const { joint, second } = encoder;
  const own = await (joint === undefined ? embedInParts(encoder, text) : embedWhenFree(encoder, asOneText(text)));
  return second === undefined ? own : joinVectors(own, await embedInParts(second.encoder, text), second.weight);
}

async function embedInParts(encoder: BasicEncoder, text: string): Promise<Float32Array> {
  const [message = '', categories] = text.split('\n');
  const vector = await embedWhenFree(encoder, message);
  if (categories === undefined) return vector;
  const towards = await embedWhenFree(encoder, categories);
  return normalised(vector.map((value, dim) => value + CATEGORIES_WEIGHT * towards[dim]!));
}

/** Joins the two lines of `creativeText` into the one text that a joint encoder reads. */
function asOneText(text: string): string {
  const [message = '', categories] = text.split('\n');
  return categories === undefined ? message : `${message} [${categories}]`;
}

const RETRY_MS = 50;

async function embedWhenFree(encoder: BasicEncoder, text: string): Promise<Float32Array> {
  for (;;) {
    try {
      return await encoder.embed(text, 'creative');
    } catch (error) {
      if (!(error instanceof EncoderBusyError)) throw error;
      await pause(RETRY_MS);
    }
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
