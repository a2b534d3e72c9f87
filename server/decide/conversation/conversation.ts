import type { Turn } from '../../../models/encoder/encoder.js';
import type { MatchRequest, Message } from '../../../models/schema/match-request.js';
import { readJsonTranscript, readMarkedTranscript, readNamedTranscript, speakerOf, textOf } from './transcript.js';

/** What is read of a conversation, in the one form that the encoder was trained on. */
export interface Conversation {
  /** Oldest first; never empty. */
  readonly turns: readonly Turn[];
  /** Every turn behind its mark, a line each. */
  readonly whole: string;
  /** The last user turn alone. */
  readonly last: string;
}

/** Longest text that is looked at: older turns are beyond the encoder's window, and words in them are no longer meant. */
const NEWEST_TEXT_CHARACTERS = 900;

/** Reads a conversation in whichever form it was sent. */
export function readConversation(request: MatchRequest): Conversation {
  const turns = readTurns(request);
  const last = turns.findLast(({ speaker }) => speaker === 'user') ?? turns.at(-1)!;
  return { turns, whole: turns.map(line).join('\n'), last: turns.length === 1 ? line(last) : last.text };
}

/** The newest end of the whole, where words are looked for. */
export function newestText({ whole }: Conversation): string {
  return whole.slice(-NEWEST_TEXT_CHARACTERS);
}

function line({ speaker, text }: Turn): string {
  return `${speaker === 'user' ? 'User' : 'Assistant'}: ${text}`;
}

/**
 * The turns of a conversation, oldest first: from `messages` when they were sent, since who spoke is known there, else from
 * the context in whichever form it comes (JSON, marked lines, two names). Text without any mark is one turn of the
 * person's. System prompts and empty turns are left out.
 */
export function readTurns({ context = '', messages }: MatchRequest): Turn[] {
  const text = newestLines(context).replaceAll('\r\n', '\n');
  const turns =
    messages?.map(fromMessage) ??
    readJsonTranscript(context) ??
    readMarkedTranscript(text) ??
    readNamedTranscript(text) ??
    [];
  const spoken = turns
    .map(({ speaker, text }) => ({ speaker, text: text.trim() }))
    .filter(({ speaker, text }) => speaker !== 'system' && text !== '');
  return spoken.length > 0 ? spoken : [{ speaker: 'user', text: text.trim() }];
}

/** Marks are looked for on the event loop: so much of a text takes a few milliseconds, whatever is in it. */
const MARKED_CHARACTERS = 40_000;

/** The newest end of a text, from the beginning of a line where there is one. */
function newestLines(text: string): string {
  if (text.length <= MARKED_CHARACTERS) return text;
  const end = text.slice(-MARKED_CHARACTERS);
  const lines = end.slice(end.indexOf('\n') + 1);
  return lines.trim() === '' ? end : lines;
}

function fromMessage({ role, content }: Message): Turn {
  return { speaker: speakerOf(role), text: textOf(content) };
}

/** What the person said, newest first. */
export function userTextsOf(turns: readonly Turn[]): string[] {
  return turns
    .filter(({ speaker }) => speaker === 'user')
    .map(({ text }) => text)
    .toReversed();
}
