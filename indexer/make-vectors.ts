import type { Encoder } from '../models/encoder/encoder.js';
import type { EncoderSource } from './encoder-source.js';
import type { Progress } from './progress.js';
import { embedCreative } from '../models/encoder/embed-creative.js';

/**
 * Vectors of all texts: those that are known, and the others embedded.
 *
 * @returns row-major, in memory that the graph's thread can read
 */
export async function makeVectors(
  texts: readonly string[],
  known: ReadonlyMap<string, Float32Array>,
  encoder: EncoderSource,
  progress: Progress,
): Promise<Float32Array> {
  const missing = [...new Set(texts)].filter((text) => !known.has(text));
  const step = progress.startStep('Embedding', missing.length);
  const fresh = await embedMissing(missing, encoder, step.advance);
  step.end(`${missing.length.toLocaleString('en')} embedded, ${known.size.toLocaleString('en')} reused`);
  const vectors = new Float32Array(new SharedArrayBuffer(texts.length * encoder.dims * Float32Array.BYTES_PER_ELEMENT));
  for (const [label, text] of texts.entries()) vectors.set((known.get(text) ?? fresh.get(text))!, label * encoder.dims);
  return vectors;
}

async function embedMissing(
  missing: readonly string[],
  source: EncoderSource,
  onDone: (done: number) => void,
): Promise<ReadonlyMap<string, Float32Array>> {
  if (missing.length === 0) return new Map();
  const encoder = await source.open();
  try {
    return await embedTexts(encoder, missing, source.workers * 2, onDone);
  } finally {
    await encoder.close();
  }
}

/**
 * Embeds texts, keeping every worker busy: each is taken only when the encoder is to have it, since there may be millions.
 *
 * @param inFlight texts handed to the encoder at once
 * @param onDone called with the number of texts done
 */
export async function embedTexts(
  encoder: Encoder,
  texts: Iterable<string>,
  inFlight: number,
  onDone: (done: number) => void,
): Promise<Map<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>();
  const rest = eachOf(texts);
  const embedRest = async (): Promise<void> => {
    for (const text of rest) {
      vectors.set(text, await embedCreative(encoder, text));
      onDone(vectors.size);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, embedRest));
  return vectors;
}

/** One iterator for several loops: it ends for all of them when one of them fails. */
function* eachOf<T>(items: Iterable<T>): Generator<T> {
  yield* items;
}
