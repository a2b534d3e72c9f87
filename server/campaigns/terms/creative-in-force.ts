import type { Creative } from '../../../models/schema/creative.js';
import type { CampaignFile } from './campaign-file.js';
import { storedFor, termsBy } from './terms.js';

/** A creative on the terms that hold now, as it is answered and billed. */
export interface CreativeInForce {
  readonly creative: Creative;
  /** As the feed has it. */
  readonly feed: Creative;
  /** Fields that a command has set over the feed's. */
  readonly set: readonly string[];
}

/** Looks up what holds for creatives, by what commands have set for their campaigns. */
export function lookUpTerms(file: CampaignFile): (feed: Creative) => CreativeInForce {
  const terms = termsBy(file);
  return (feed) => {
    const set = feed.campaign === null ? undefined : storedFor(terms.setIn(feed.campaign), feed.advertiser);
    const { name: _, of: __, ...fields } = set ?? { name: '' };
    return { creative: terms.of(feed).creative, feed, set: Object.keys(fields) };
  };
}
