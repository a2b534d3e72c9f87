import { createHash } from 'node:crypto';
import type { Encoder, Probed } from '../../models/encoder/encoder.js';
import type { Gate, Heard } from './gate.js';
import type { Reading } from './reading/reading.js';

/** Brings a reading before the encoder. @throws EncoderBusyError */
export type Hear = (reading: Reading) => Promise<Heard>;

/** Turns whose vectors are kept; about 2 kB each. */
const REMEMBERED = 2000;

/**
 * Hears the newest end of a conversation and its newest user turns one by one: one pass for a single turn, else one for
 * the whole and one for each turn that was not heard before. As a conversation grows its turns come again with every
 * match; what was heard of them is remembered in memory, under a digest of their words, and no word is.
 *
 * @param gate what is listened for; absent: the last turn alone is heard beside the whole
 */
export function createHearing(encoder: Encoder, gate?: Gate): Hear {
  const probes = gate?.probes ?? { whole: [], turn: [] };
  const memory = new Map<string, Promise<Probed>>();
  const hearTurn = (text: string): Promise<Probed> => {
    const digest = createHash('sha256').update(text).digest('base64');
    const known = memory.get(digest);
    const heard = known ?? encoder.probe(text, probes.turn);
    // Taken out and put in again, the newest stand last.
    memory.delete(digest);
    memory.set(digest, heard);
    if (memory.size > REMEMBERED) memory.delete(memory.keys().next().value!);
    if (known === undefined) heard.catch(() => memory.delete(digest));
    return heard;
  };
  return async ({ turns, whole }) => {
    const said = turns
      .filter(({ speaker }) => speaker === 'user')
      .map(({ text }) => text)
      .toReversed();
    if (turns.length === 1 || said.length === 0) {
      // Talk without a person in it may still be about one.
      if (said.length === 0) said.push(whole);
      const { vector, says } = await encoder.probe(whole, [...probes.whole, ...probes.turn]);
      const of = (from: number, to?: number): Probed => ({ vector, says: says.slice(from, to) });
      const alone = { text: said[0]!, probed: of(probes.whole.length) };
      return { whole: of(0, probes.whole.length), turns: [alone], said };
    }
    const [overall, ...each] = await Promise.all([
      encoder.probe(whole, probes.whole),
      ...said.slice(0, gate === undefined ? 1 : Math.max(1, gate.turns)).map(hearTurn),
    ]);
    return { whole: overall, turns: each.map((probed, at) => ({ text: said[at]!, probed })), said };
  };
}
