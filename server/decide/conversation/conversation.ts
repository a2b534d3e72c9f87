import type { Turn } from '../../../models/encoder/encoder.js';
import { limitMarks } from '../../../models/text/limit-marks.js';
import { type MatchRequest, type Message, saidIn } from '../../../models/schema/match-request.js';
import { readJsonTranscript, textOf } from './json-transcript.js';
import { readLabelledTranscript, readNamedTranscript } from './labelled-transcript.js';
import { MAX_TURNS } from './max-turns.js';
import { speakerOf } from './speakers.js';

/** A parsed conversation, in the one form that the encoder was trained on. */
export interface Conversation {
  /** Oldest first; never empty. */
  readonly turns: readonly Turn[];
  /** Every turn after its speaker label, one per line. */
  readonly whole: string;
  /** The last user turn alone; the last turn if the user said nothing. With its label where it is the only turn. */
  readonly last: string;
}

/**
 * Max length of the text searched for words. Older turns are outside the encoder's window, and their words no longer
 * matter.
 */
const NEWEST_TEXT_CHARACTERS = 900;

/** Parses a conversation in whichever form it was sent. */
export function readConversation(request: MatchRequest): Conversation {
  const turns = readTurns(request);
  const last = turns.findLast(({ speaker }) => speaker === 'user') ?? turns.at(-1)!;
  return { turns, whole: turns.map(line).join('\n'), last: turns.length === 1 ? line(last) : last.text };
}

/** Returns the newest end of the conversation, which is searched for words shared with ads. */
export function newestText({ whole }: Conversation): string {
  return whole.slice(-NEWEST_TEXT_CHARACTERS);
}

/**
 * Max length of the text in which ads' negative keywords are searched: the newest turns. Splitting it into words takes
 * half a millisecond.
 */
const SEARCHED_CHARACTERS = 10_000;

/**
 * Returns what anybody said in the newest turns, newest first: at most `SEARCHED_CHARACTERS` together, so that the
 * oldest text may lack its beginning.
 */
export function newestSaid({ turns }: Conversation): string[] {
  let left = SEARCHED_CHARACTERS;
  const newest: string[] = [];
  for (const { text } of turns.toReversed()) {
    if (left <= 0) break;
    // Some ligatures are spelt out to eighteen letters.
    const end = text.slice(-left).normalize('NFKC').slice(-left);
    newest.push(end);
    left -= end.length;
  }
  return newest;
}

function line({ speaker, text }: Turn): string {
  return `${speaker === 'user' ? 'User' : 'Assistant'}: ${text}`;
}

/**
 * Returns the turns of a conversation, oldest first: from `messages` if they were sent, since they name the speakers,
 * else from the context in whichever form it has (JSON, lines with speaker labels, two names). Text without labels is
 * one user turn. System prompts and empty turns are left out, and all but the newest `MAX_TURNS`.
 */
function readTurns({ context = '', messages }: MatchRequest): Turn[] {
  const text = newestLines(context).replaceAll('\r\n', '\n');
  const turns =
    messages?.map(fromMessage) ??
    readJsonTranscript(context) ??
    readLabelledTranscript(text) ??
    readNamedTranscript(text) ??
    [];
  const spoken = turns
    .map(({ speaker, text }) => ({ speaker, text: limitMarks(text.trim()) }))
    .filter(({ speaker, text }) => speaker !== 'system' && text !== '')
    .slice(-MAX_TURNS);
  return spoken.length > 0 ? spoken : [{ speaker: 'user', text: limitMarks(text.trim()) }];
}

/** Speaker labels are searched on the event loop: this much text takes a few milliseconds, whatever its content. */
const LABELLED_CHARACTERS = 40_000;

/** Returns the newest end of a text, from the start of a line if there is one. */
function newestLines(text: string): string {
  if (text.length <= LABELLED_CHARACTERS) return text;
  const end = text.slice(-LABELLED_CHARACTERS);
  const lines = end.slice(end.indexOf('\n') + 1);
  return lines.trim() === '' ? end : lines;
}

function fromMessage(message: Message): Turn {
  return { speaker: speakerOf(message.role), text: textOf(saidIn(message)) };
}

/** Returns the texts of the user's turns, newest first. */
export function userTextsOf(turns: readonly Turn[]): string[] {
  return turns
    .filter(({ speaker }) => speaker === 'user')
    .map(({ text }) => text)
    .toReversed();
}
