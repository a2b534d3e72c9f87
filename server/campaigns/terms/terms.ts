import type { Creative } from '../../../models/schema/creative.js';
import { accountKey, accountOf } from '../../domain/billing.js';
import type { CampaignFile, StoredCampaign } from './campaign-file.js';

/**
 * The terms in force for a creative: the feed's fields, overridden by those that commands have set for its campaign.
 */
export interface Terms {
  /** The creative with the terms set by command in place of the feed's. */
  readonly creative: Creative;
  /**
   * Key of the feed's campaign, or of a creative without one. Creatives with the same key share these terms; two keys
   * may have one account.
   */
  readonly feedCampaign: string;
  /** Key of the account that pays: the advertiser's campaign's, or the creative's own. */
  readonly account: string;
  /** Epoch milliseconds; the start is inclusive, the end exclusive. */
  readonly startsAt: number;
  readonly endsAt: number;
  readonly pacing: 'even' | 'asap';
  readonly paused: boolean;
  /** Whether there is a total or daily budget. */
  readonly budgeted: boolean;
}

/** Returns the terms in force for a creative. @param set the terms that commands have set for its campaign, if any */
export function termsOf(feed: Creative, set: StoredCampaign | undefined): Terms {
  const { name: _, of: __, pacing = 'asap', paused = false, ...fields } = set ?? {};
  const creative: Creative = { ...feed, ...fields };
  return {
    creative,
    feedCampaign: JSON.stringify(feed.campaign === null ? [feed.id] : [feed.advertiser, feed.campaign]),
    account: accountKey(accountOf({ ...creative, creative: creative.id })),
    startsAt: creative.startsAt === null ? -Infinity : Date.parse(creative.startsAt),
    endsAt: creative.endsAt === null ? Infinity : Date.parse(creative.endsAt),
    pacing,
    paused,
    budgeted: creative.budgetMicros !== null || creative.dailyBudgetMicros !== null,
  };
}

/**
 * Returns the terms set for an advertiser's campaign, or else those set for all campaigns of its name.
 *
 * @param set the terms set for campaigns of the name
 */
export function storedFor(set: readonly StoredCampaign[], feedAdvertiser: string | null): StoredCampaign | undefined {
  return set.find(({ of }) => of === feedAdvertiser) ?? set.find(({ of }) => of === undefined);
}

export type DateIneligibility = 'not-started' | 'ended';

/** Returns why the dates rule a campaign out now, or null. The start is inclusive, the end exclusive; NaN: no date. */
export function dateIneligibility(startsAt: number, endsAt: number, now: number): DateIneligibility | null {
  if (now < startsAt) return 'not-started';
  return now >= endsAt ? 'ended' : null;
}

/** Returns functions that look up terms in one state of the campaign file; each creative's terms are computed once. */
export function termsBy({ campaigns }: CampaignFile) {
  const byName = new Map<string, StoredCampaign[]>();
  for (const campaign of campaigns) {
    const others = byName.get(campaign.name);
    if (others === undefined) byName.set(campaign.name, [campaign]);
    else others.push(campaign);
  }
  const known = new WeakMap<Creative, Terms>();
  /** Returns the terms set for campaigns of a name. */
  const overridesOf = (campaign: string | null): readonly StoredCampaign[] => byName.get(campaign ?? '') ?? [];
  const of = (creative: Creative): Terms => {
    let terms = known.get(creative);
    if (terms === undefined) {
      terms = termsOf(creative, storedFor(overridesOf(creative.campaign), creative.advertiser));
      known.set(creative, terms);
    }
    return terms;
  };
  return { of, overridesOf };
}
