import type { Encoding, JointEncoder, Reading } from '../../models/encoder/encoder.js';
import { userTextsOf } from './conversation/conversation.js';
import type { EncodeContext } from './encoded-context.js';
import { createTextCache } from './text-cache.js';

/**
 * Encodes a conversation in one pass. If it is too long for that, the user's text is encoded again in pieces, for the
 * gate; as the conversation grows, only the last piece is new.
 */
export function encodeInOnePass(joint: JointEncoder, maxPieces: number): EncodeContext {
  const cachedPiece = createTextCache<Encoding>();
  const cachedWhole = createTextCache<Reading>();
  return async ({ turns, whole }, owner, signal) => {
    // Not keyed by the whole text, which may be the same for different divisions into turns.
    const reading = await cachedWhole(owner, JSON.stringify(turns), () => joint.read(turns, signal), signal);
    const userTurns = userTextsOf(turns);
    if (userTurns.length === 0) userTurns.push(whole);
    const pieces = reading.complete ? [] : piecesOf(userTurns).slice(0, maxPieces);
    const each = await Promise.all(
      pieces.map((text) => cachedPiece(owner, text, () => joint.read([{ speaker: 'user', text }], signal), signal)),
    );
    return { whole: reading, turns: [reading, ...each], second: null, userTurns };
  };
}

/** About as much as a joint encoder reads of one turn. */
const PIECE_CHARACTERS = 400;

/**
 * Splits everything that the user said into pieces of bounded length, newest first. Pieces are cut from the beginning,
 * so that a further turn changes only the last one.
 */
function piecesOf(userTurns: readonly string[]): string[] {
  const pieces = [''];
  for (const word of userTurns.toReversed().join('\n').split(/\s+/)) {
    const last = pieces.at(-1)!;
    if (last.length + word.length < PIECE_CHARACTERS) pieces[pieces.length - 1] = `${last} ${word}`.trimStart();
    else pieces.push(word.slice(0, PIECE_CHARACTERS));
  }
  return pieces.toReversed();
}
