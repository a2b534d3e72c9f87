/** Who speaks. What a system prompt or a tool says is nobody's need. */
export type Speaker = 'user' | 'assistant' | 'system';

/** One turn of a conversation, without its mark. */
export interface Turn {
  readonly speaker: Speaker;
  readonly text: string;
}

/** What chat interfaces and people call the speakers. */
const SPEAKERS: ReadonlyMap<string, Speaker> = new Map([
  ...named('user', 'user human customer client visitor guest caller me q'),
  ...named('assistant', 'assistant ai bot agent model chatbot gpt chatgpt claude support operator you a'),
  ...named('system', 'system developer tool function'),
]);

/** The names that mark a turn, longest first, for a regular expression. */
export const SPEAKER_NAMES = [...SPEAKERS.keys()].toSorted((a, b) => b.length - a.length).join('|');

/** @returns who is meant by a name, in any case; a name that nobody uses is taken for the person */
export function speakerOf(name: string): Speaker {
  return SPEAKERS.get(name.toLowerCase()) ?? 'user';
}

function named(speaker: Speaker, names: string): [string, Speaker][] {
  return names.split(' ').map((name) => [name, speaker]);
}
