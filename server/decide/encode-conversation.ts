import type { RerankCandidate, Encoding, JointEncoder, Reading } from '../../models/encoder/encoder.js';
import { userTextsOf } from './conversation/conversation.js';
import type { EncodeContext } from './encoded-context.js';
import { createTextCache } from './text-cache.js';

/**
 * Reads a conversation in one pass. Where it is too long for that, what the person said is read once more in pieces, for
 * the gate: as the conversation grows, only the last piece is new.
 */
export function encodeConversation(joint: JointEncoder, maxPieces: number, judges: boolean): EncodeContext {
  const cachedPiece = createTextCache<Encoding>();
  const cachedWhole = createTextCache<{ readonly reading: Reading; readonly judged: Map<string, number> }>();
  const withoutMemory = (reading: Reading): Reading => ({ ...reading, memory: null });
  return async ({ turns, whole }, owner, signal) => {
    // Memory, some 2 MB, is for the request at hand: what is cached has none, and a second judging reads again.
    let kept: Reading | null = null;
    const readWhole = async () => {
      kept = await joint.read(turns, judges, signal);
      return { reading: withoutMemory(kept), judged: new Map<string, number>() };
    };
    // Not by the text as a whole, which two divisions into turns may share.
    const { reading, judged } = await cachedWhole(owner, JSON.stringify(turns), readWhole, signal);
    const userTurns = userTextsOf(turns);
    if (userTurns.length === 0) userTurns.push(whole);
    const pieces = reading.complete ? [] : piecesOf(userTurns).slice(0, maxPieces);
    const each = await Promise.all(
      pieces.map((text) =>
        cachedPiece(owner, text, () => joint.read([{ speaker: 'user', text }], false, signal), signal),
      ),
    );
    const judge = async (ads: readonly RerankCandidate[]): Promise<readonly number[]> => {
      const missing = ads.filter(({ text }) => !judged.has(text));
      if (missing.length > 0) {
        const withMemory = judges && kept !== null ? kept : await joint.read(turns, true, signal);
        kept = null;
        const odds = await joint.judge(withMemory, missing, signal);
        for (const [at, { text }] of missing.entries()) judged.set(text, odds[at]!);
      }
      return ads.map(({ text }) => judged.get(text)!);
    };
    return { whole: reading, turns: [reading, ...each], second: null, userTurns, judge };
  };
}

/** About what a joint encoder reads of one turn. */
const PIECE_CHARACTERS = 400;

/**
 * Everything that the person said in pieces of bounded length, newest first. They are cut from the beginning on, so that
 * a further turn changes the last one only.
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
