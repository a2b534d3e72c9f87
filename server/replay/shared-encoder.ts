import type { Encoder, TextKind } from '../../models/encoder/encoder.js';

/** Enough for the conversations under way; both answers to one come close together. */
const KEPT = 256;

/** An encoder that embeds a text once for both sides of a comparison. */
export function sharedEncoder(encoder: Encoder): Encoder {
  const vectors = new Map<string, Promise<Float32Array>>();
  return {
    fingerprint: encoder.fingerprint,
    dims: encoder.dims,
    embed(text: string, kind: TextKind) {
      const key = `${kind}\n${text}`;
      const known = vectors.get(key);
      if (known !== undefined) return known;
      const vector = encoder.embed(text, kind);
      vectors.set(key, vector);
      const oldest = vectors.keys().next();
      if (vectors.size > KEPT && !oldest.done) vectors.delete(oldest.value);
      return vector;
    },
    close: () => encoder.close(),
  };
}
