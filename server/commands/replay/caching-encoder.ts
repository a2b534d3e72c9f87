import type { Encoder, Encoding } from '../../../models/encoder/encoder.js';

/** Enough for the conversations under way; both answers to one come close together. */
const KEPT = 256;

/** An encoder that encodes a text once for both sides of a comparison. */
export function cachingEncoder(encoder: Encoder): Encoder {
  const cache = new Map<string, Promise<Encoding>>();
  return {
    fingerprint: encoder.fingerprint,
    dims: encoder.dims,
    embed: (text, kind) => encoder.embed(text, kind),
    encodeWithSignals(text) {
      const known = cache.get(text);
      if (known !== undefined) return known;
      const encoding = encoder.encodeWithSignals(text);
      cache.set(text, encoding);
      const oldest = cache.keys().next();
      if (cache.size > KEPT && !oldest.done) cache.delete(oldest.value);
      return encoding;
    },
    joint: encoder.joint,
    second: encoder.second,
    english: encoder.english ?? false,
    multilingual: encoder.multilingual && cachingEncoder(encoder.multilingual),
    close: () => encoder.close(),
  };
}
