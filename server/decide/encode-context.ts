import { createHash } from 'node:crypto';
import type {
  AdToJudge,
  Encoder,
  Encoding,
  JointEncoder,
  Reading,
  SingleReader,
  Turn,
} from '../../models/encoder/encoder.js';
import type { EncodedContext, Gate } from './gate.js';
import type { Conversation } from './conversation/conversation.js';

/**
 * Encodes a conversation for gate and ranking.
 *
 * @param owner whose conversation it is: what is remembered of it serves the same owner only, since an answer that comes
 * faster would tell others what was said. Null: nothing is remembered
 * @param signal once aborted, what has not begun is dropped, judging included
 * @throws EncoderBusyError, the signal's reason
 */
export type EncodeContext = (
  conversation: Conversation,
  owner: string | null,
  signal?: AbortSignal,
) => Promise<EncodedContext>;

/** Encodings that are cached; 2 to 3 kB each. */
const CACHED = 2000;

/**
 * How an encoder reads conversations.
 *
 * @param maxTurns how many texts the gate wants encoded beside the whole at most, at least one; and of the second reader
 * @param judges whether ads will be judged, for which some 2 MB of each conversation are handed over
 */
export function createContextEncoder(
  encoder: Encoder,
  { turns, secondTurns }: Pick<Gate, 'turns' | 'secondTurns'> = { turns: 1, secondTurns: 1 },
  judges = false,
): EncodeContext {
  const { joint, second } = encoder;
  const first = joint === undefined ? encodeTurnByTurn(encoder, turns) : readAtOnce(joint, turns, judges);
  if (second === undefined) return first;
  const again = encodeTurnByTurn(second.encoder, secondTurns);
  return async (conversation, owner, signal) => {
    const [read, { whole, turns }] = await Promise.all([
      first(conversation, owner, signal),
      again(conversation, owner, signal),
    ]);
    return { ...read, second: { whole, turns } };
  };
}

/**
 * Encodes the newest end of a conversation and its newest user turns one by one: one pass for a single turn, else one for
 * the whole and one for each turn that is not in the cache. As a conversation grows, its turns come again with every
 * match.
 */
function encodeTurnByTurn(encoder: SingleReader, maxTurns: number): EncodeContext {
  const cached = createCache<Encoding>();
  return async ({ turns, whole }, owner, signal) => {
    const userTurns = userTextsOf(turns);
    if (turns.length === 1 || userTurns.length === 0) {
      // Talk without a person in it may still be about one.
      if (userTurns.length === 0) userTurns.push(whole);
      const alone = await encoder.encodeWithSignals(whole, signal);
      return { whole: alone, turns: [alone], second: null, userTurns, judge: null };
    }
    const [overall, ...each] = await Promise.all([
      encoder.encodeWithSignals(whole, signal),
      ...userTurns
        .slice(0, maxTurns)
        .map((text) => cached(owner, text, () => encoder.encodeWithSignals(text, signal), signal)),
    ]);
    return { whole: overall, turns: each, second: null, userTurns, judge: null };
  };
}

/**
 * Reads a conversation in one pass. Where it is too long for that, what the person said is read once more in pieces, for
 * the gate: as the conversation grows, only the last piece is new.
 */
function readAtOnce(joint: JointEncoder, maxPieces: number, judges: boolean): EncodeContext {
  const cachedPiece = createCache<Encoding>();
  const cachedWhole = createCache<{ readonly reading: Reading; readonly judged: Map<string, number> }>();
  const withoutMemory = (reading: Reading): Reading => ({ ...reading, memory: null });
  return async ({ turns, whole }, owner, signal) => {
    // Memory, some 2 MB, is for the request at hand: what is cached has none, and a second judging reads again.
    let kept: Reading | null = null;
    const readWhole = async () => {
      kept = await joint.read(turns, judges, signal);
      return { reading: withoutMemory(kept), judged: new Map<string, number>() };
    };
    const { reading, judged } = await cachedWhole(owner, whole, readWhole, signal);
    const userTurns = userTextsOf(turns);
    if (userTurns.length === 0) userTurns.push(whole);
    const pieces = reading.complete ? [] : piecesOf(userTurns).slice(0, maxPieces);
    const each = await Promise.all(
      pieces.map((text) =>
        cachedPiece(owner, text, () => joint.read([{ speaker: 'user', text }], false, signal), signal),
      ),
    );
    const judge = async (ads: readonly AdToJudge[]): Promise<readonly number[]> => {
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

/** What the person said, newest first. */
function userTextsOf(turns: readonly Turn[]): string[] {
  return turns
    .filter(({ speaker }) => speaker === 'user')
    .map(({ text }) => text)
    .toReversed();
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

/** Makes something of a text, or takes what was made of it for the same owner. */
type Cache<T> = (
  owner: string | null,
  text: string,
  make: () => Promise<T>,
  signal: AbortSignal | undefined,
) => Promise<T>;

/** A cache of what was made of texts, under a digest of owner and text, never the text itself. */
function createCache<T>(): Cache<T> {
  const cache = new Map<string, Promise<T>>();
  const take = async (digest: string, make: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    const known = cache.get(digest);
    const made = known ?? make();
    // Deleted and set again, so that the map's order is that of last use.
    cache.delete(digest);
    cache.set(digest, made);
    if (cache.size > CACHED) cache.delete(cache.keys().next().value!);
    try {
      return await made;
    } catch (error) {
      if (cache.get(digest) === made) cache.delete(digest);
      // The request that began it may have been given up, or refused; this one was not.
      if (known === undefined || signal?.aborted) throw error;
      return take(digest, make, signal);
    }
  };
  return (owner, text, make, signal) => {
    if (owner === null) return make();
    return take(createHash('sha256').update(`${owner}\n${text}`).digest('base64'), make, signal);
  };
}
