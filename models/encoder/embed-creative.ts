import { setTimeout as pause } from 'node:timers/promises';
import { normalised } from '../index/vector-index.js';
import { EncoderBusyError, type Encoder, type BasicEncoder } from './encoder.js';
import { joinVectors } from './join-vectors.js';

/** What is read of a creative. */
interface CreativeMessage {
  readonly name: string;
  readonly text: string | null;
  readonly categories: readonly string[];
}

/** How much the categories count beside the message; chosen on the dev splits (models/EXPERIMENTS.md). */
const CATEGORIES_WEIGHT = 0.25;

/** Part of every encoder's fingerprint: vectors made by another rule are not comparable. */
export const CREATIVE_RULES = { single: `message + ${CATEGORIES_WEIGHT} categories`, joint: 'message [categories]' };

/** All of a creative that decides its vector, as one text of two lines: its message, and its categories if it has any. */
export function creativeText({ name, text, categories }: CreativeMessage): string {
  const message = oneLine(text ? `${name}. ${text}` : name);
  return categories.length === 0 ? message : `${message}\n${oneLine(categories.join(', '))}`;
}

/**
 * The vector of a creative: a joint encoder reads message and categories as one text; of others it is the message's,
 * moved a little towards its categories'. A second reader's is put behind it. Requests go first: a full queue is waited
 * out.
 *
 * @param text as `creativeText` gives it
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

/** The two lines of `creativeText` as one text, as a joint encoder reads it. */
export function asOneText(text: string): string {
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
