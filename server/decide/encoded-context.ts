import type { Encoding } from '../../models/encoder/encoder.js';
import type { Conversation } from './conversation/conversation.js';

/** The encodings of a conversation: of its newest end, and of the user's text in turns or pieces, newest first. */
export interface EncodedContext {
  readonly whole: Encoding;
  readonly turns: readonly Encoding[];
  /** Whole and newest user turns by the second encoder; null: there is none. */
  readonly second: { readonly whole: Encoding; readonly turns: readonly Encoding[] } | null;
  /** Every user turn, newest first, including those that were not encoded one by one. */
  readonly userTurns: readonly string[];
}

/**
 * Encodes a conversation for gate and ranking.
 *
 * @param owner the conversation's owner. Cached encodings serve only the same owner, since a faster response would
 * reveal to others what was said. Null: nothing is cached
 * @param signal once aborted, work that has not started is dropped
 * @throws EncoderBusyError, the signal's reason
 */
export type EncodeContext = (
  conversation: Conversation,
  owner: string | null,
  signal?: AbortSignal,
) => Promise<EncodedContext>;
