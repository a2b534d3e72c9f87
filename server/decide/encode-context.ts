import { createHash } from 'node:crypto';
import type { Encoder, Encoding } from '../../models/encoder/encoder.js';
import type { EncodedContext } from './gate.js';
import type { Conversation } from './conversation/conversation.js';

/** Encodes a conversation for gate and ranking. @throws EncoderBusyError */
export type EncodeContext = (conversation: Conversation) => Promise<EncodedContext>;

/** Turns whose encoding is cached; about 2 kB each. */
const CACHED_TURNS = 2000;

/**
 * Encodes the newest end of a conversation and its newest user turns one by one: one pass for a single turn, else one for
 * the whole and one for each turn that is not in the cache. As a conversation grows, its turns come again with every
 * match: their encodings are cached in memory under a digest of the text, never the text itself.
 *
 * @param maxTurns how many of the newest user turns are encoded on their own, at least one
 */
export function createContextEncoder(encoder: Encoder, maxTurns = 1): EncodeContext {
  const cache = new Map<string, Promise<Encoding>>();
  const encodeTurn = (text: string): Promise<Encoding> => {
    const digest = createHash('sha256').update(text).digest('base64');
    const known = cache.get(digest);
    const encoding = known ?? encoder.encodeWithSignals(text);
    // Deleted and set again, so that the map's order is that of last use.
    cache.delete(digest);
    cache.set(digest, encoding);
    if (cache.size > CACHED_TURNS) cache.delete(cache.keys().next().value!);
    if (known === undefined) encoding.catch(() => cache.delete(digest));
    return encoding;
  };
  return async ({ turns, whole }) => {
    const userTurns = turns
      .filter(({ speaker }) => speaker === 'user')
      .map(({ text }) => text)
      .toReversed();
    if (turns.length === 1 || userTurns.length === 0) {
      // Talk without a person in it may still be about one.
      if (userTurns.length === 0) userTurns.push(whole);
      const alone = await encoder.encodeWithSignals(whole);
      return { whole: alone, turns: [alone], userTurns };
    }
    const [overall, ...each] = await Promise.all([
      encoder.encodeWithSignals(whole),
      ...userTurns.slice(0, maxTurns).map(encodeTurn),
    ]);
    return { whole: overall, turns: each, userTurns };
  };
}
