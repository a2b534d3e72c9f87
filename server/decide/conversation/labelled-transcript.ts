import type { Turn } from '../../../models/encoder/encoder.js';
import { SPEAKER_NAMES, speakerOf } from './speakers.js';

/*
 * Matches the start of a turn: `User:`, `**Human:**`, `[assistant]`, `<user>`, `<|im_start|>user`, `> AI:` and the
 * like. No two adjacent optional parts match the same character; otherwise a long run of blanks would cause
 * backtracking over every way to split it.
 */
const OPENING = new RegExp(
  String.raw`^[ \t>*#_-]*(?:([[(<]|<\|im_start\|>|<\|)[ \t]*)?(${SPEAKER_NAMES})[ \t]*` +
    String.raw`((?:[*_]+[ \t]*)?:[*_]*|[\])>]:?|\|>:?|(?<=user|assistant|system)\n)[ \t]*`,
  'gim',
);

/** Names that start a line only to label a speaker; `Model: HP 2710` or `a) the red one` is not a turn. */
const PLAIN_NAMES = new Set(['user', 'human', 'assistant', 'ai', 'bot', 'chatbot', 'gpt', 'chatgpt', 'claude']);

/** Parses text whose turns have speaker labels. @returns null when no line has one */
export function readLabelledTranscript(text: string): Turn[] | null {
  const openings = [...text.matchAll(OPENING)].filter(([, opener, name, closer]) => {
    // A closing bracket that was never opened numbers a list item.
    return opener !== undefined || !/^[\])>]/.test(closer!) || PLAIN_NAMES.has(name!.toLowerCase());
  });
  const names = openings.map(([, , name]) => name!.toLowerCase());
  if (!names.some((name) => PLAIN_NAMES.has(name) || speakerOf(name) === 'user')) return null;
  const before = text.slice(0, openings[0]!.index);
  return [
    { speaker: 'user', text: before },
    ...openings.map((opening, at): Turn => {
      const content = text.slice(opening.index + opening[0].length, openings[at + 1]?.index);
      return { speaker: speakerOf(opening[2]!), text: content.replaceAll('<|im_end|>', '') };
    }),
  ];
}

const NAMED_LINE = /^([A-Z][\w.'-]{0,20}(?: [A-Z][\w.'-]{0,20})?)[ \t]*:[ \t]([^]*)$/;

/**
 * Parses a conversation between two named people, one line per turn; the last to speak is the user. If neither speaks
 * twice, it may be a form (`Topic: …`, `Budget: …`), and all of it belongs to the user.
 */
export function readNamedTranscript(text: string): Turn[] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const matches = lines.map((line) => NAMED_LINE.exec(line));
  if (lines.length < 2 || !matches.every((match) => match !== null)) return null;
  if (new Set(matches.map((match) => match[1])).size !== 2) return null;
  const person = matches.at(-1)![1];
  const isTalk = matches.length > 2;
  return matches.map((match) => ({ speaker: isTalk && match[1] !== person ? 'assistant' : 'user', text: match[2]! }));
}
