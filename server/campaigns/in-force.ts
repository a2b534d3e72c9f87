import type { Creative } from '../../models/schema/creative.js';
import type { CampaignFile, StoredCampaign } from './campaign-file.js';
import { storedFor, termsOf } from './terms.js';

/** A creative on the terms that hold now, as it is answered and billed. */
export interface CreativeInForce {
  readonly creative: Creative;
  /** As the feed has it. */
  readonly feed: Creative;
  /** Fields that a command has set over the feed's. */
  readonly set: readonly string[];
}

/** Looks up what holds for creatives, by what commands have set for their campaigns. */
export function lookUpTerms({ campaigns }: CampaignFile): (feed: Creative) => CreativeInForce {
  const stored = new Map<string, StoredCampaign[]>();
  for (const campaign of campaigns) stored.set(campaign.name, [...(stored.get(campaign.name) ?? []), campaign]);
  return (feed) => {
    const set = feed.campaign === null ? undefined : storedFor(stored.get(feed.campaign) ?? [], feed.advertiser);
    const { name: _, of: __, ...fields } = set ?? { name: '' };
    return { creative: termsOf(feed, set).creative, feed, set: Object.keys(fields) };
  };
}
