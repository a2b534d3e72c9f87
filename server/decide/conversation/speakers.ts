import type { Speaker } from '../../../models/encoder/encoder.js';

/** The names that chat interfaces and people give the speakers. */
const SPEAKERS: ReadonlyMap<string, Speaker> = new Map([
  ...named('user', 'user human customer client visitor guest caller me q'),
  ...named('assistant', 'assistant ai bot agent model chatbot gpt chatgpt claude support operator you a'),
  ...named('system', 'system developer tool function'),
]);

/** The names that label a turn, longest first, for a regular expression. */
export const SPEAKER_NAMES = [...SPEAKERS.keys()].toSorted((a, b) => b.length - a.length).join('|');

/** Returns the speaker that a name stands for, ignoring case; unknown names stand for the user. */
export function speakerOf(name: string): Speaker {
  return SPEAKERS.get(name.toLowerCase()) ?? 'user';
}

function named(speaker: Speaker, names: string): [string, Speaker][] {
  return names.split(' ').map((name) => [name, speaker]);
}
