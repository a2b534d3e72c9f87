import type { Creative } from '../../models/schema/creative.js';
import { accountKey, accountOf } from '../domain/account.js';
import type { StoredCampaign } from './campaign-file.js';

/** What holds for a creative now: the feed's fields, under those that were set for its campaign by command. */
export interface Terms {
  /** The creative with what was set in place of what the feed says. */
  readonly creative: Creative;
  /** Key of the account that pays: the campaign's, or the creative's own. */
  readonly account: string;
  /** Epoch milliseconds; the start counts in, the end does not. */
  readonly startsAt: number;
  readonly endsAt: number;
  readonly pacing: 'even' | 'asap';
  readonly paused: boolean;
}

/** @param set what was set by command for the creative's campaign, if anything */
export function termsOf(feed: Creative, set: StoredCampaign | undefined): Terms {
  const { name: _, pacing = 'asap', paused = false, ...fields } = set ?? {};
  const creative: Creative = { ...feed, ...fields };
  return {
    creative,
    account: accountKey(accountOf({ campaign: feed.campaign, creative: feed.id })),
    startsAt: creative.startsAt === null ? -Infinity : Date.parse(creative.startsAt),
    endsAt: creative.endsAt === null ? Infinity : Date.parse(creative.endsAt),
    pacing,
    paused,
  };
}
