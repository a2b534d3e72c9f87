import type { Creative } from '../../../models/schema/creative.js';
import { accountKey, accountOf } from '../../domain/billing.js';
import type { Claims } from '../../domain/claims.js';
import { followStore, type FollowLog } from '../../stores/followed-store.js';
import type { SharedStore } from '../../stores/shared-store.js';
import type { CampaignFile, StoredCampaign } from './campaign-file.js';

/** What holds for a creative now: the feed's fields, under those that were set for its campaign by command. */
export interface Terms {
  /** The creative with what was set in place of what the feed says. */
  readonly creative: Creative;
  /** Of the feed's campaign, or of a creative without one: who share it share these terms. Two may have one account. */
  readonly feedCampaign: string;
  /** Key of the account that pays: the advertiser's campaign's, or the creative's own. */
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
 * What was set for an advertiser's campaign: by itself, or else for all of its name.
 *
 * @param set what was set for campaigns of the name
 * @param advertiser the feed's
 */
export function storedFor(set: readonly StoredCampaign[], advertiser: string | null): StoredCampaign | undefined {
  return set.find(({ of }) => of === advertiser) ?? set.find(({ of }) => of === undefined);
}

export type DateIneligibility = 'not-started' | 'ended';

/** The start counts in, the end does not; NaN is none. */
export function dateIneligibility(startsAt: number, endsAt: number, now: number): DateIneligibility | null {
  if (now < startsAt) return 'not-started';
  return now >= endsAt ? 'ended' : null;
}

/** The terms that hold now, as the campaigns' file changes. */
export interface LiveTerms {
  of(creative: Creative): Terms;
  /** What was set by command for the campaign of an ad that was answered, whose advertiser is the one that pays. */
  setFor(claims: Pick<Claims, 'advertiser' | 'campaign'>): StoredCampaign | undefined;
  /** Another number once other terms hold. */
  readonly revision: number;
  close(): Promise<void>;
}

export interface FollowTermsOptions {
  readonly store: SharedStore<CampaignFile>;
  readonly log: FollowLog;
  readonly onChange: () => void;
}

const POLL_MS = 250;

/** The terms of creatives by one state of the campaigns' file; each creative's are made once. */
export function termsBy({ campaigns }: CampaignFile) {
  const set = new Map<string, StoredCampaign[]>();
  for (const campaign of campaigns) {
    const others = set.get(campaign.name);
    if (others === undefined) set.set(campaign.name, [campaign]);
    else others.push(campaign);
  }
  const known = new WeakMap<Creative, Terms>();
  /** What was set for campaigns of a name. */
  const setIn = (campaign: string | null): readonly StoredCampaign[] => set.get(campaign ?? '') ?? [];
  const of = (creative: Creative): Terms => {
    let terms = known.get(creative);
    if (terms === undefined) {
      terms = termsOf(creative, storedFor(setIn(creative.campaign), creative.advertiser));
      known.set(creative, terms);
    }
    return terms;
  };
  return { of, setIn };
}

/** @throws DamagedStoreError when the campaigns' file is damaged at the start */
export async function followTerms({ store, log, onChange }: FollowTermsOptions): Promise<LiveTerms> {
  let terms = termsBy({ version: 1, campaigns: [] });
  let revision = 0;
  const apply = (file: CampaignFile): void => {
    terms = termsBy(file);
    revision++;
    onChange();
  };
  const followed = await followStore({ store, onChange: apply, log, name: 'campaigns', pollMs: POLL_MS });
  apply(followed.current);
  return {
    of: (creative) => terms.of(creative),
    setFor({ campaign, advertiser }) {
      const payer = ({ advertiser: pays, of }: StoredCampaign) => (pays === undefined ? of : pays);
      const named = terms.setIn(campaign);
      return named.find((each) => payer(each) === advertiser) ?? storedFor(named, advertiser);
    },
    get revision() {
      return revision;
    },
    close: () => followed.close(),
  };
}
