import type { Creative } from '../../models/schema/creative.js';
import type { MatchRequest } from '../../models/schema/match-request.js';
import type { NoFillReason } from '../../models/schema/usage-event.js';
import type { Language } from '../../models/text/language.js';
import type { Publisher } from './publisher.js';

/** One answer: a creative with its score, or no ad and why. */
export type Decision = (
  | { readonly filled: true; readonly creative: Creative; readonly score: number }
  | { readonly filled: false; readonly reason: NoFillReason }
) & {
  /** Of the conversation. Null: nothing tells; absent: nothing of it was read. */
  readonly language?: Language | null;
};

/** What a decision may look at beside the conversation's words. */
export interface Requester {
  readonly publisher: Publisher;
  /** The client's anonymous session, for frequency caps; absent: no cap. */
  readonly session: string | undefined;
  /** The client's address; absent where a proxy hides it. Compared with those of the last minutes, stored nowhere. */
  readonly address?: string | undefined;
  /** The conversation's, told when it is read. Null or absent: not known. */
  readonly language?: Language | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * @param signal aborted once nobody waits for the decision; what the encoder has not begun is then dropped
 * @throws EncoderBusyError when too many texts wait for the encoder; SearchUnavailableError; the signal's reason
 */
export type Decide = (request: MatchRequest, requester: Requester, signal?: AbortSignal) => Promise<Decision>;
