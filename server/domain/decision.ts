import type { Creative } from '../../models/schema/creative.js';
import type { Exclude, MatchRequest } from '../../models/schema/match-request.js';
import type { NoFillReason } from '../../models/schema/event-kinds.js';
import type { Language } from '../../models/text/language.js';
import type { PhraseSearch } from '../../models/text/phrase-search.js';
import type { Publisher } from './publisher.js';

/** The result of a match: a creative with its score, or the reason for no ad. */
export type Decision = (
  | {
      readonly filled: true;
      /** As served: its advertiser is the payer, which a command may have set in place of the feed's. */
      readonly creative: Creative;
      /** The advertiser that the feed names, on whose behalf the ad is shown. Absent: the payer. */
      readonly feedAdvertiser?: string | null;
      readonly score: number;
    }
  | { readonly filled: false; readonly reason: NoFillReason }
) & {
  /** Language of the conversation. Null: unknown; absent: the conversation was not read. */
  readonly language?: Language | null;
};

/** Inputs of a decision besides the conversation. */
export interface Requester {
  readonly publisher: Publisher;
  /** The client's anonymous session id, for frequency caps; absent: no cap. */
  readonly session: string | undefined;
  /** The client's address; absent if a proxy hides it. Compared with those of the last minutes, never stored. */
  readonly address?: string | undefined;
  /** Language of the conversation, detected when it is read. Null or absent: unknown. */
  readonly language?: Language | null;
  /** The reader's country, in canonical form, unless the request names another. Null or absent: unknown. */
  readonly country?: string | null;
  /** What is said in the conversation, for creatives' negative keywords; absent: not read. */
  readonly said?: PhraseSearch;
  /** Ads that this request does not want; absent: none. */
  readonly excluded?: Excluded;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Ads that a request does not want: categories and advertisers by `nameKey`, creatives by id. */
export type Excluded = Readonly<Record<keyof Exclude, ReadonlySet<string>>>;

/**
 * Decides which ad a conversation gets.
 *
 * @param signal aborted when no client waits for the decision any more; texts that the encoder has not started are then
 * dropped
 * @throws EncoderBusyError when too many texts wait for the encoder; SearchUnavailableError; the signal's reason
 */
export type Decide = (request: MatchRequest, requester: Requester, signal?: AbortSignal) => Promise<Decision>;
