import type { Encoder, Encoding } from '../../../models/encoder/encoder.js';

/** Enough for the running conversations: the two decisions on one follow each other closely. */
const KEPT = 256;

/** Wraps an encoder so that it encodes each text once for both sides of a comparison. */
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
