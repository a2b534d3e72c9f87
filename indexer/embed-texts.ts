import { embedCreative } from '../models/encoder/embed-creative.js';
import type { Encoder } from '../models/encoder/encoder.js';

/**
 * Embeds texts, keeping every worker busy.
 *
 * @param inFlight texts handed to the encoder at once
 * @param onDone called with the number of texts done
 */
export async function embedTexts(
  encoder: Encoder,
  texts: readonly string[],
  inFlight: number,
  onDone: (done: number) => void,
): Promise<Map<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>();
  const waiting = texts.values();
  const lane = async (): Promise<void> => {
    for (const text of waiting) {
      vectors.set(text, await embedCreative(encoder, text));
      onDone(vectors.size);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return vectors;
}
