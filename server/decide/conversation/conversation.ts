import type { MatchRequest } from '../../../models/schema/match-request.js';
import { readTurns } from './read-turns.js';
import type { Turn } from './turn.js';

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
