import type { StoredCampaign } from './campaign-file.js';
import { storedFor } from './terms.js';

/**
 * A conflict: one advertiser would pay for two campaigns of the same name, so that one account would have two budgets.
 */
export interface SharedPayer {
  /** Null: no advertiser is named. */
  readonly payer: string | null;
  /** The advertiser of the other campaign, by the feed or by the terms set. */
  readonly of: string | null;
}

/**
 * Finds another campaign of the same name that a campaign's payer also pays for.
 *
 * @param set the terms set for campaigns, of any name
 * @param which the campaign; without `of`, every campaign of its name that has no terms of its own
 * @param advertisers the advertisers that have a campaign of this name in the feed; null: rows without an advertiser
 * @returns undefined when there is no conflict
 */
export function findSharedPayer(
  set: readonly StoredCampaign[],
  which: Pick<StoredCampaign, 'name' | 'of'>,
  advertisers: readonly (string | null)[],
): SharedPayer | undefined {
  const named = set.filter(({ name }) => name === which.name);
  const known = [...new Set([...advertisers, ...named.flatMap(({ of }) => (of === undefined ? [] : [of]))])];
  const payers = known.map((of) => {
    const { advertiser = of } = storedFor(named, of) ?? {};
    return { payer: advertiser, of };
  });
  const isMeant = (of: string | null) =>
    which.of === undefined ? !named.some((each) => each.of === of) : which.of === of;
  const meant = payers.filter(({ of }) => isMeant(of));
  return payers.find(({ payer, of }) => meant.some((each) => each.of !== of && each.payer === payer));
}
