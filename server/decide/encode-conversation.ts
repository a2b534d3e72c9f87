import type { RerankCandidate, Encoding, JointEncoder, Reading } from '../../models/encoder/encoder.js';
import { userTextsOf } from './conversation/conversation.js';
import type { EncodeContext } from './encoded-context.js';
import { createTextCache } from './text-cache.js';

/**
 * Encodes a conversation in one pass. If it is too long for that, the user's text is encoded again in pieces, for the
 * gate; as the conversation grows, only the last piece is new.
 */
export function encodeConversation(joint: JointEncoder, maxPieces: number, reranks: boolean): EncodeContext {
  const cachedPiece = createTextCache<Encoding>();
  const cachedWhole = createTextCache<{ readonly reading: Reading; readonly logOdds: Map<string, number> }>();
  const withoutMemory = (reading: Reading): Reading => ({ ...reading, memory: null });
  return async ({ turns, whole }, owner, signal) => {
    // The memory, about 2 MB, is for the current request only. It is not cached, so reranking again reads the
    // conversation again.
    let kept: Reading | null = null;
    const readWhole = async () => {
      kept = await joint.read(turns, reranks, signal);
      return { reading: withoutMemory(kept), logOdds: new Map<string, number>() };
    };
    // Not keyed by the whole text, which may be the same for different divisions into turns.
    const { reading, logOdds } = await cachedWhole(owner, JSON.stringify(turns), readWhole, signal);
    const userTurns = userTextsOf(turns);
    if (userTurns.length === 0) userTurns.push(whole);
    const pieces = reading.complete ? [] : piecesOf(userTurns).slice(0, maxPieces);
    const each = await Promise.all(
      pieces.map((text) =>
        cachedPiece(owner, text, () => joint.read([{ speaker: 'user', text }], false, signal), signal),
      ),
    );
    const rerank = async (ads: readonly RerankCandidate[]): Promise<readonly number[]> => {
      const missing = ads.filter(({ text }) => !logOdds.has(text));
      if (missing.length > 0) {
        const withMemory = reranks && kept !== null ? kept : await joint.read(turns, true, signal);
        kept = null;
        const odds = await joint.rerank(withMemory, missing, signal);
        for (const [at, { text }] of missing.entries()) logOdds.set(text, odds[at]!);
      }
      return ads.map(({ text }) => logOdds.get(text)!);
    };
    return { whole: reading, turns: [reading, ...each], second: null, userTurns, rerank };
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
