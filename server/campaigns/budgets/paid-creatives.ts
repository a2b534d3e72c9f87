import type { Creative } from '../../../models/schema/creative.js';
import { accountKey, accountOf } from '../../domain/billing.js';
import type { Claims } from '../../domain/claims.js';
import type { LiveIndex } from '../../live-index/live-index.js';
import { type NamedCreatives, namedCreatives } from '../../live-index/named-creatives.js';
import type { LiveTerms } from '../terms/terms.js';

/**
 * The creative of the live snapshot, on the terms in force, whose budget an ad is paid from: itself while it is paid from
 * the ad's account, as deciding has it, or else any of that account. Rows of one campaign agree on their budgets.
 */
export function createPaidCreatives(
  index: Pick<LiveIndex, 'current'>,
  terms: Pick<LiveTerms, 'of' | 'revision'>,
): (claims: Claims) => Creative | undefined {
  /** Who pays in the campaigns of a name that was asked for, on the terms in force. */
  let known: Known | undefined;
  const accountsOf = (named: NamedCreatives, campaign: string): Accounts => {
    const { revision } = terms;
    if (known?.named !== named || known.revision !== revision) known = { named, revision, paying: new Map() };
    let accounts = known.paying.get(campaign);
    if (accounts === undefined) {
      const held = (named.campaigns.get(campaign) ?? []).map((creative) => terms.of(creative));
      accounts = new Map(held.map(({ account, creative }) => [account, creative]));
      // What request ids name that no feed has any more is not to be remembered.
      if (held.length > 0) known.paying.set(campaign, accounts);
    }
    return accounts;
  };
  return (claims) => {
    const snapshot = index.current();
    if (snapshot === null) return undefined;
    const named = namedCreatives(snapshot);
    const account = accountKey(accountOf(claims));
    const own = named.ids.get(claims.creative);
    const held = own && terms.of(own);
    if (held?.account === account) return held.creative;
    return claims.campaign === null ? undefined : accountsOf(named, claims.campaign.toWellFormed()).get(account);
  };
}

interface Known {
  readonly named: NamedCreatives;
  readonly revision: number;
  readonly paying: Map<string, Accounts>;
}

type Accounts = ReadonlyMap<string, Creative>;
