import type { Speaker, Turn } from '../../../models/encoder/encoder.js';
import { TEXT_PARTS } from '../../../models/schema/match-request.js';

/** The names that chat interfaces and people give the speakers. */
const SPEAKERS: ReadonlyMap<string, Speaker> = new Map([
  ...named('user', 'user human customer client visitor guest caller me q'),
  ...named('assistant', 'assistant ai bot agent model chatbot gpt chatgpt claude support operator you a'),
  ...named('system', 'system developer tool function'),
]);

/** The names that label a turn, longest first, for a regular expression. */
const SPEAKER_NAMES = [...SPEAKERS.keys()].toSorted((a, b) => b.length - a.length).join('|');

/** Returns the speaker that a name stands for, ignoring case; unknown names stand for the user. */
export function speakerOf(name: string): Speaker {
  return SPEAKERS.get(name.toLowerCase()) ?? 'user';
}

function named(speaker: Speaker, names: string): [string, Speaker][] {
  return names.split(' ').map((name) => [name, speaker]);
}

/**
 * Parses a transcript sent as JSON text: a list of messages, an object that holds one, or one message per line.
 *
 * @returns null when the text is not such a transcript
 */
export function readJsonTranscript(text: string): Turn[] | null {
  if (!/^\s*[[{]/.test(text)) return null;
  // The parser is slow to reject brackets that are never closed.
  if (!/[\]},]$/.test(text.trimEnd().slice(-1))) return null;
  const parsed = parse(text) ?? parseLines(text);
  const messages = Array.isArray(parsed) ? parsed : listIn(parsed);
  if (messages === null || messages.length === 0) return null;
  const turns = messages.map(toTurn);
  return turns.every((turn) => turn !== null) ? turns : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function parseLines(text: string): unknown[] | undefined {
  const parsed: unknown[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const value = parse(line.trim().replace(/,$/, ''));
    if (value === undefined) return undefined;
    parsed.push(value);
  }
  return parsed;
}

function listIn(value: unknown): unknown[] | null {
  if (!isRecord(value)) return null;
  const list = value['messages'] ?? value['conversation'] ?? value['history'] ?? [value];
  return Array.isArray(list) ? list : null;
}

/** Converts a message that uses the field names of the usual interfaces. */
function toTurn(value: unknown): Turn | null {
  if (!isRecord(value)) return null;
  const role = value['role'] ?? value['from'] ?? value['speaker'] ?? value['author'];
  const content = value['content'] ?? value['text'] ?? value['value'] ?? value['message'];
  if (content === undefined) return null;
  return { speaker: speakerOf(typeof role === 'string' ? role : 'user'), text: textOf(content) };
}

/**
 * Returns the text of a message's content. Of content in parts, only text parts count: no images, tool calls or
 * reasoning.
 */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map(partOf).filter(Boolean).join(' ') : partOf(content);
}

function partOf(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isRecord(part) || typeof part['text'] !== 'string') return '';
  return TEXT_PARTS.some((type) => type === (part['type'] ?? 'text')) ? part['text'] : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
export function readMarkedTranscript(text: string): Turn[] | null {
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
