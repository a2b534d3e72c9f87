import { randomBytes } from 'node:crypto';
import { clientOf } from '../../domain/client-address.js';
import type { Requester } from '../../domain/decision.js';
import { keyedHash } from '../../domain/secrets.js';
import { PUBLISHER_SHARE, type Reserved } from './budget-check.js';
import type { Reservations } from './reservations.js';

/** The max share of a campaign's remaining budget that served ads of one address or session may reserve. */
const SHARES = { address: 1 / 4, session: 1 / 10 };

/** The shares of an account's budget that a requester's publisher, address and session hold. */
export interface RequesterShares {
  /** Returns the holders of an ad served now, besides its publisher. */
  namesOf(requester: Requester): readonly string[];
  /** Returns what the requester holds of an account, and the max shares. */
  of(account: string, requester: Requester): Reserved['shares'];
}

/** Identifies addresses (IPv6: the /64) and sessions by hashes under a key that lives as long as the process. */
export function createRequesterShares(reservations: Reservations): RequesterShares {
  const key = randomBytes(32);
  const known = new WeakMap<Requester, { readonly name: string; readonly most: number }[]>();
  const holdersOf = (requester: Requester) => {
    const before = known.get(requester);
    if (before !== undefined) return before;
    const { address, session, publisher } = requester;
    const holders = [
      ...(address === undefined ? [] : [{ name: keyedHash(key, `a${clientOf(address)}`), most: SHARES.address }]),
      ...(session === undefined
        ? []
        : [{ name: keyedHash(key, `s${JSON.stringify([publisher.name, session])}`), most: SHARES.session }]),
    ];
    known.set(requester, holders);
    return holders;
  };
  return {
    namesOf: (requester) => holdersOf(requester).map(({ name }) => name),
    of(account, requester) {
      const { name: publisher } = requester.publisher;
      return [
        { micros: reservations.heldByPublisher(account, publisher), most: PUBLISHER_SHARE },
        ...holdersOf(requester).map(({ name, most }) => ({
          micros: reservations.heldBy(account, name, publisher),
          most,
        })),
      ];
    },
  };
}
