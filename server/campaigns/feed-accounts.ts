import type { Creative } from '../../models/schema/creative.js';
import type { LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { accountKey, accountOf } from '../domain/account.js';
import type { LiveIndex } from '../live-index/live-index.js';

/** A creative of each account of the live snapshot, by account key: rows of one campaign agree on its terms. */
export interface FeedAccounts {
  get(account: string): Creative | undefined;
}

export function createFeedAccounts(index: Pick<LiveIndex, 'current'>): FeedAccounts {
  const bySnapshot = new WeakMap<LoadedSnapshot, ReadonlyMap<string, Creative>>();
  return {
    get(account) {
      const snapshot = index.current();
      if (snapshot === null) return undefined;
      const accounts = bySnapshot.get(snapshot) ?? accountsOf(snapshot.creatives);
      bySnapshot.set(snapshot, accounts);
      return accounts.get(account);
    },
  };
}

function accountsOf(creatives: readonly Creative[]): ReadonlyMap<string, Creative> {
  return new Map(
    creatives.map((creative) => [
      accountKey(accountOf({ campaign: creative.campaign, creative: creative.id })),
      creative,
    ]),
  );
}
