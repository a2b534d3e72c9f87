import type { StoredCampaign } from './campaign-file.js';
import { storedFor } from './terms.js';

/** Two campaigns of one name that one advertiser would pay for: one account would have two budgets. */
export interface SharedPayer {
  /** Null: nobody is named. */
  readonly payer: string | null;
  /** Whose the other campaign is, by the feed or by what is set. */
  readonly of: string | null;
}

/**
 * Whether who pays for a campaign pays for another one of its name.
 *
 * @param set what is set for campaigns, of any name
 * @param which the campaign; without `of`, each of its name for which nothing is set by itself
 * @param owners the advertisers that have a campaign of this name in the feed; null: rows without an advertiser
 * @returns undefined: nobody does
 */
export function findSharedPayer(
  set: readonly StoredCampaign[],
  which: Pick<StoredCampaign, 'name' | 'of'>,
  owners: readonly (string | null)[],
): SharedPayer | undefined {
  const named = set.filter(({ name }) => name === which.name);
  const known = [...new Set([...owners, ...named.flatMap(({ of }) => (of === undefined ? [] : [of]))])];
  const payers = known.map((of) => {
    const { advertiser = of } = storedFor(named, of) ?? {};
    return { payer: advertiser, of };
  });
  const isMeant = (of: string | null) =>
    which.of === undefined ? !named.some((each) => each.of === of) : which.of === of;
  const meant = payers.filter(({ of }) => isMeant(of));
  return payers.find(({ payer, of }) => meant.some((each) => each.of !== of && each.payer === payer));
}
