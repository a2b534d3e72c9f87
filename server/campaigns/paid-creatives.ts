import type { Creative } from '../../models/schema/creative.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { accountKey, accountOf } from '../domain/billing.js';
import type { Claims } from '../domain/claims.js';
import type { LiveIndex } from '../live-index/live-index.js';
import type { LiveTerms } from './terms.js';

/**
 * The creative of the live snapshot, on the terms in force, whose budget an ad is paid from: itself while it is paid from
 * the ad's account, as deciding has it, or else any of that account. Rows of one campaign agree on their budgets.
 */
export function createPaidCreatives(
  index: Pick<LiveIndex, 'current'>,
  terms: LiveTerms,
): (claims: Claims) => Creative | undefined {
  let known: { readonly snapshot: ServedSnapshot; readonly named: Named } | undefined;
  let paying: { readonly named: Named; readonly revision: number; readonly accounts: Accounts } | undefined;
  return (claims) => {
    const snapshot = index.current();
    if (snapshot === null) return undefined;
    if (known?.snapshot !== snapshot) known = { snapshot, named: nameAll(snapshot.creatives) };
    const { named } = known;
    const { revision } = terms;
    if (paying?.named !== named || paying.revision !== revision) {
      paying = { named, revision, accounts: accountsOf(named, terms) };
    }
    const account = accountKey(accountOf(claims));
    const own = named.ids.get(claims.creative);
    const held = own && terms.of(own);
    return held?.account === account ? held.creative : paying.accounts.get(account);
  };
}

/** A catalogue's creatives by id, and one of each campaign, whose terms are those of all its rows. */
interface Named {
  readonly ids: ReadonlyMap<string, Creative>;
  readonly campaigns: readonly Creative[];
}

function nameAll(creatives: readonly Creative[]): Named {
  const ids = new Map<string, Creative>();
  const campaigns = new Map<string, Creative>();
  for (const creative of creatives) {
    ids.set(creative.id, creative);
    // One without a campaign has an account of its own, which is found by its id.
    if (creative.campaign !== null) campaigns.set(JSON.stringify([creative.advertiser, creative.campaign]), creative);
  }
  return { ids, campaigns: [...campaigns.values()] };
}

type Accounts = ReadonlyMap<string, Creative>;

function accountsOf({ campaigns }: Named, terms: LiveTerms): Accounts {
  return new Map(campaigns.map((creative) => terms.of(creative)).map((held) => [held.account, held.creative]));
}
