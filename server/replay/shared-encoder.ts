import type { Encoder, Probed } from '../../models/encoder/encoder.js';

/** Enough for the conversations under way; both answers to one come close together. */
const KEPT = 256;

/** An encoder that hears a text once for both sides of a comparison. */
export function sharedEncoder(encoder: Encoder): Encoder {
  const heard = new Map<string, Promise<Probed>>();
  return {
    fingerprint: encoder.fingerprint,
    dims: encoder.dims,
    embed: (text, kind) => encoder.embed(text, kind),
    probe(text, probes) {
      const key = `${probes.join(' ')}\n${text}`;
      const known = heard.get(key);
      if (known !== undefined) return known;
      const probed = encoder.probe(text, probes);
      heard.set(key, probed);
      const oldest = heard.keys().next();
      if (heard.size > KEPT && !oldest.done) heard.delete(oldest.value);
      return probed;
    },
    close: () => encoder.close(),
  };
}
