import type { Creative } from '../../../models/schema/creative.js';
import type { CampaignFile } from './campaign-file.js';
import { storedFor, termsBy } from './terms.js';

/** A creative on the terms in force, as it is served and billed. */
export interface CreativeInForce {
  readonly creative: Creative;
  /** The creative as in the feed. */
  readonly feed: Creative;
  /** Fields that commands have set in place of the feed's. */
  readonly overridden: readonly string[];
}

/** Returns a function that looks up the terms in force for a creative, including those that commands have set. */
export function lookUpTerms(file: CampaignFile): (feed: Creative) => CreativeInForce {
  const terms = termsBy(file);
  return (feed) => {
    const set = feed.campaign === null ? undefined : storedFor(terms.overridesOf(feed.campaign), feed.advertiser);
    const { name: _, of: __, ...fields } = set ?? { name: '' };
    return { creative: terms.of(feed).creative, feed, overridden: Object.keys(fields) };
  };
}
