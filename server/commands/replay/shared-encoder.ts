import type { Encoder, Sensed } from '../../../models/encoder/encoder.js';

/** Enough for the conversations under way; both answers to one come close together. */
const KEPT = 256;

/** An encoder that hears a text once for both sides of a comparison. */
export function sharedEncoder(encoder: Encoder): Encoder {
  const heard = new Map<string, Promise<Sensed>>();
  return {
    fingerprint: encoder.fingerprint,
    dims: encoder.dims,
    embed: (text, kind) => encoder.embed(text, kind),
    sense(text) {
      const known = heard.get(text);
      if (known !== undefined) return known;
      const sensed = encoder.sense(text);
      heard.set(text, sensed);
      const oldest = heard.keys().next();
      if (heard.size > KEPT && !oldest.done) heard.delete(oldest.value);
      return sensed;
    },
    close: () => encoder.close(),
  };
}
