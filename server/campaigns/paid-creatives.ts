import type { Creative } from '../../models/schema/creative.js';
import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { accountKey, accountOf } from '../domain/billing.js';
import type { Claims } from '../domain/claims.js';
import type { LiveIndex } from '../live-index/live-index.js';
import type { LiveTerms, Terms } from './terms.js';

/**
 * The creative of the live snapshot, on the terms in force, whose budget an ad is paid from: itself while it is paid from
 * the ad's account, as deciding has it, or else any of that account. Rows of one campaign agree on their budgets.
 */
export function createPaidCreatives(
  index: Pick<LiveIndex, 'current'>,
  terms: LiveTerms,
): (claims: Claims) => Creative | undefined {
  let known: { snapshot: ServedSnapshot; revision: number; feed: Feed } | undefined;
  return (claims) => {
    const snapshot = index.current();
    if (snapshot === null) return undefined;
    const { revision } = terms;
    if (known?.snapshot !== snapshot || known.revision !== revision) {
      known = { snapshot, revision, feed: readFeed(snapshot.creatives, terms) };
    }
    const { ids, accounts } = known.feed;
    const account = accountKey(accountOf(claims));
    const own = ids.get(claims.creative);
    return own?.account === account ? own.creative : accounts.get(account);
  };
}

interface Feed {
  readonly ids: ReadonlyMap<string, Terms>;
  readonly accounts: ReadonlyMap<string, Creative>;
}

function readFeed(creatives: readonly Creative[], terms: LiveTerms): Feed {
  const held = creatives.map((creative) => terms.of(creative));
  return {
    ids: new Map(held.map((each) => [each.creative.id, each])),
    accounts: new Map(held.map((each) => [each.account, each.creative])),
  };
}
