import type { Creative } from '../../models/schema/creative.js';
import { accountKey, accountOf } from '../domain/billing.js';
import { followStore, type FollowLog } from '../stores/followed-store.js';
import type { SharedStore } from '../stores/shared-store.js';
import type { CampaignFile, StoredCampaign } from './campaign-file.js';

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
  /** Whether there is a budget, in all or for a day. */
  readonly budgeted: boolean;
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
    budgeted: creative.budgetMicros !== null || creative.dailyBudgetMicros !== null,
  };
}

export type DateFault = 'not-started' | 'ended';

/** The start counts in, the end does not; NaN is none. */
export function dateFault(startsAt: number, endsAt: number, now: number): DateFault | null {
  if (now < startsAt) return 'not-started';
  return now >= endsAt ? 'ended' : null;
}

/** The terms that hold now, as the campaigns' file changes. */
export interface LiveTerms {
  of(creative: Creative): Terms;
  /** What was set by command for a campaign, if anything. */
  setFor(campaign: string | null): StoredCampaign | undefined;
  close(): Promise<void>;
}

export interface FollowTermsOptions {
  readonly store: SharedStore<CampaignFile>;
  readonly log: FollowLog;
  readonly onChange: () => void;
}

const POLL_MS = 250;

/** @throws DamagedStoreError when the campaigns' file is damaged at the start */
export async function followTerms({ store, log, onChange }: FollowTermsOptions): Promise<LiveTerms> {
  let set = new Map<string, StoredCampaign>();
  let known = new WeakMap<Creative, Terms>();
  const apply = (file: CampaignFile): void => {
    set = new Map(file.campaigns.map((campaign) => [campaign.name, campaign]));
    known = new WeakMap();
    onChange();
  };
  const followed = await followStore({ store, onChange: apply, log, name: 'campaigns', pollMs: POLL_MS });
  apply(followed.current);
  const setFor = (campaign: string | null) => (campaign === null ? undefined : set.get(campaign));
  return {
    of(creative) {
      const before = known.get(creative);
      if (before !== undefined) return before;
      const terms = termsOf(creative, setFor(creative.campaign));
      known.set(creative, terms);
      return terms;
    },
    setFor,
    close: () => followed.close(),
  };
}
