import type { Encoding, BasicEncoder } from '../../models/encoder/encoder.js';
import { userTextsOf } from './conversation/conversation.js';
import type { EncodeContext } from './encoded-context.js';
import { createTextCache } from './text-cache.js';

/**
 * Encodes the newest end of a conversation and its newest user turns one by one: one pass for a single turn, else one
 * for the whole and one for each turn that is not cached. A growing conversation repeats its turns in every request.
 */
export function encodeTurnByTurn(encoder: BasicEncoder, maxTurns: number): EncodeContext {
  const cached = createTextCache<Encoding>();
  return async ({ turns, whole }, owner, signal) => {
    const userTurns = userTextsOf(turns);
    if (turns.length === 1 || userTurns.length === 0) {
      // A conversation without user turns may still be about a person.
      if (userTurns.length === 0) userTurns.push(whole);
      const alone = await encoder.encodeWithSignals(whole, signal);
      return { whole: alone, turns: [alone], second: null, userTurns };
    }
    const [overall, ...each] = await Promise.all([
      encoder.encodeWithSignals(whole, signal),
      ...userTurns
        .slice(0, maxTurns)
        .map((text) => cached(owner, text, () => encoder.encodeWithSignals(text, signal), signal)),
    ]);
    return { whole: overall, turns: each, second: null, userTurns };
  };
}
