import { SPEAKER_NAMES, speakerOf, type Turn } from './turn.js';

/*
 * A line that opens a turn: `User:`, `**Human:**`, `[assistant]`, `<user>`, `<|im_start|>user`, `> AI:` and the like.
 * No two parts that may be empty take the same character, or a long run of blanks would be tried in every division.
 */
const OPENING = new RegExp(
  String.raw`^[ \t>*#_-]*(?:(?:[[(<]|<\|im_start\|>|<\|)[ \t]*)?(${SPEAKER_NAMES})[ \t]*` +
    String.raw`(?:(?:[*_]+[ \t]*)?:[*_]*|[\])>]:?|\|>:?|(?<=user|assistant|system)\n)[ \t]*`,
  'gim',
);

/** Reads text whose turns are marked by their speaker. @returns null when no line is */
export function readMarkedTranscript(text: string): Turn[] | null {
  const openings = [...text.matchAll(OPENING)];
  if (openings.length === 0) return null;
  const before = text.slice(0, openings[0]!.index);
  return [
    { speaker: 'user', text: before },
    ...openings.map((opening, at): Turn => {
      const content = text.slice(opening.index + opening[0].length, openings[at + 1]?.index);
      return { speaker: speakerOf(opening[1]!), text: content.replaceAll('<|im_end|>', '') };
    }),
  ];
}

const NAMED_LINE = /^([A-Z][\w.'-]{0,20}(?: [A-Z][\w.'-]{0,20})?)[ \t]*:[ \t]([^]*)$/;

/** Reads a talk between two people by name, a line each; the one who speaks last is the person. */
export function readNamedTranscript(text: string): Turn[] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const matches = lines.map((line) => NAMED_LINE.exec(line));
  if (lines.length < 2 || !matches.every((match) => match !== null)) return null;
  if (new Set(matches.map((match) => match[1])).size !== 2) return null;
  const person = matches.at(-1)![1];
  return matches.map((match) => ({ speaker: match[1] === person ? 'user' : 'assistant', text: match[2]! }));
}
