import type { Encoder } from '../models/encoder/encoder.js';
import { embedTexts } from './embed-texts.js';
import type { Progress } from './progress.js';

/** Which encoder makes the vectors; loaded only when a text is new to it. */
export interface EncoderSource {
  readonly name: string;
  readonly fingerprint: string;
  readonly dims: number;
  readonly workers: number;
  open(): Promise<Encoder>;
}

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
