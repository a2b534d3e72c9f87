import type { CampaignName, StoredCampaign } from './campaign-file.js';
import { storedFor } from './terms.js';

/**
 * A conflict: one advertiser would pay for two campaigns of the same name, so that one account would have two budgets.
 */
export interface SharedPayer {
  /** Null: no advertiser is named. */
  readonly payer: string | null;
  /** The other campaign's advertiser, by the feed or by the terms set. */
  readonly feedAdvertiser: string | null;
}

/**
 * Finds another campaign of the same name that a campaign's payer also pays for.
 *
 * @param set the terms set for campaigns, of any name
 * @param which the campaign; without an advertiser, every campaign of its name that has no terms of its own
 * @param feedAdvertisers the advertisers that have a campaign of this name in the feed; null: rows without an advertiser
 * @returns undefined when there is no conflict
 */
export function findSharedPayer(
  set: readonly StoredCampaign[],
  which: CampaignName,
  feedAdvertisers: readonly (string | null)[],
): SharedPayer | undefined {
  const named = set.filter(({ name }) => name === which.name);
  const known = [...new Set([...feedAdvertisers, ...named.flatMap(({ of }) => (of === undefined ? [] : [of]))])];
  const payers = known.map((feedAdvertiser): SharedPayer => {
    const { advertiser: payer = feedAdvertiser } = storedFor(named, feedAdvertiser) ?? {};
    return { payer, feedAdvertiser };
  });
  const isMeant = ({ feedAdvertiser }: SharedPayer): boolean =>
    which.feedAdvertiser === undefined
      ? !named.some(({ of }) => of === feedAdvertiser)
      : which.feedAdvertiser === feedAdvertiser;
  const meant = payers.filter(isMeant);
  return payers.find(({ payer, feedAdvertiser }) =>
    meant.some((each) => each.feedAdvertiser !== feedAdvertiser && each.payer === payer),
  );
}
