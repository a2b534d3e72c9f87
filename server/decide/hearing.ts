import { createHash } from 'node:crypto';
import type { Encoder, Sensed } from '../../models/encoder/encoder.js';
import type { Heard } from './gate.js';
import type { Reading } from './reading/reading.js';

/** Brings a reading before the encoder. @throws EncoderBusyError */
export type Hear = (reading: Reading) => Promise<Heard>;

/** Turns of which what was heard is kept; about 2 kB each. */
const REMEMBERED = 2000;

/**
 * Hears the newest end of a conversation and its newest user turns one by one: one pass for a single turn, else one for
 * the whole and one for each turn that was not heard before. As a conversation grows its turns come again with every
 * match; what was heard of them is remembered in memory, under a digest of their words, and no word is.
 *
 * @param listened how many of the newest user turns are heard on their own, at least one
 */
export function createHearing(encoder: Encoder, listened = 1): Hear {
  const memory = new Map<string, Promise<Sensed>>();
  const hearTurn = (text: string): Promise<Sensed> => {
    const digest = createHash('sha256').update(text).digest('base64');
    const known = memory.get(digest);
    const heard = known ?? encoder.sense(text);
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
      const alone = await encoder.sense(whole);
      return { whole: alone, turns: [alone], said };
    }
    const [overall, ...each] = await Promise.all([encoder.sense(whole), ...said.slice(0, listened).map(hearTurn)]);
    return { whole: overall, turns: each, said };
  };
}
