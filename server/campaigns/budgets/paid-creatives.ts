import type { Creative } from '../../../models/schema/creative.js';
import { accountKey, accountOf } from '../../domain/billing.js';
import type { Claims } from '../../domain/claims.js';
import type { LiveIndex } from '../../live-index/live-index.js';
import { type CreativeMaps, creativeMapsOf } from '../../live-index/creative-maps.js';
import type { LiveTerms } from '../terms/live-terms.js';

/**
 * Creates a function that finds the creative of the live snapshot, on the terms in force, whose budget pays for an ad:
 * the ad's own creative while the ad's account pays for it, as in a decision, or else any creative of that account. All
 * rows of a campaign have the same budgets.
 */
export function createPaidCreatives(
  index: Pick<LiveIndex, 'current'>,
  terms: Pick<LiveTerms, 'of' | 'revision'>,
): (claims: Claims) => Creative | undefined {
  /** The accounts that pay for the campaigns of each name looked up so far, on the terms in force. */
  let known: Known | undefined;
  const accountsOf = (named: CreativeMaps, campaign: string): Accounts => {
    const { revision } = terms;
    if (known?.named !== named || known.revision !== revision) known = { named, revision, paying: new Map() };
    let accounts = known.paying.get(campaign);
    if (accounts === undefined) {
      const ofName = (named.campaigns.get(campaign) ?? []).map((creative) => terms.of(creative));
      accounts = new Map(ofName.map(({ account, creative }) => [account, creative]));
      // A campaign that a request id names but no feed has any more is not cached.
      if (ofName.length > 0) known.paying.set(campaign, accounts);
    }
    return accounts;
  };
  return (claims) => {
    const snapshot = index.current();
    if (snapshot === null) return undefined;
    const named = creativeMapsOf(snapshot);
    const account = accountKey(accountOf(claims));
    const own = named.ids.get(claims.creative);
    const inForce = own && terms.of(own);
    if (inForce?.account === account) return inForce.creative;
    return claims.campaign === null ? undefined : accountsOf(named, claims.campaign.toWellFormed()).get(account);
  };
}

interface Known {
  readonly named: CreativeMaps;
  readonly revision: number;
  readonly paying: Map<string, Accounts>;
}

type Accounts = ReadonlyMap<string, Creative>;
