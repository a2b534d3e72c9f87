import type { RerankCandidate, Encoding } from '../../models/encoder/encoder.js';
import type { Conversation } from './conversation/conversation.js';

/** What the encoder makes of a conversation: its newest end, and what its user said in turns or pieces, newest first. */
export interface EncodedContext {
  readonly whole: Encoding;
  readonly turns: readonly Encoding[];
  /** Whole and newest user turns by the second reader, likewise; null: there is none. */
  readonly second: { readonly whole: Encoding; readonly turns: readonly Encoding[] } | null;
  /** Every user turn, newest first, also those that were not encoded one by one. */
  readonly userTurns: readonly string[];
  /** The log odds that each ad is right, by an encoder that reads it beside the conversation; null: it reads no ads. */
  readonly judge: ((ads: readonly RerankCandidate[]) => Promise<readonly number[]>) | null;
}

/**
 * Encodes a conversation for gate and ranking.
 *
 * @param owner whose conversation it is: what is remembered of it serves the same owner only, since an answer that comes
 * faster would tell others what was said. Null: nothing is remembered
 * @param signal once aborted, what has not begun is dropped, judging included
 * @throws EncoderBusyError, the signal's reason
 */
export type EncodeContext = (
  conversation: Conversation,
  owner: string | null,
  signal?: AbortSignal,
) => Promise<EncodedContext>;
