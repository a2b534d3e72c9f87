import type { MatchRequest, Message } from '../../../models/schema/match-request.js';
import { readJsonTranscript } from './json-transcript.js';
import { readMarkedTranscript, readNamedTranscript } from './marked-transcript.js';
import { speakerOf, type Turn } from './turn.js';

/**
 * The turns of a conversation, oldest first: from `messages` when they were sent, else from the context in
 * whichever form it comes (JSON, marked lines, two names). Text without any mark is one turn of the person's.
 * System prompts and empty turns are left out.
 */
export function readTurns({ context, messages }: MatchRequest): Turn[] {
  const text = context.replaceAll('\r\n', '\n');
  const turns =
    messages?.map(fromMessage) ??
    readJsonTranscript(text) ??
    readMarkedTranscript(text) ??
    readNamedTranscript(text) ??
    [];
  const spoken = turns
    .map(({ speaker, text }) => ({ speaker, text: text.trim() }))
    .filter(({ speaker, text }) => speaker !== 'system' && text !== '');
  return spoken.length > 0 ? spoken : [{ speaker: 'user', text: text.trim() }];
}

function fromMessage({ role, content }: Message): Turn {
  return { speaker: speakerOf(role), text: content };
}
