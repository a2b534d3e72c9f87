import type { Pricing } from '../../../models/schema/creative.js';
import { type AdState, createHolders, type Holders } from './reserved-spend.js';

/** A served ad, as its later events identify it. */
export interface ServedAd {
  readonly publisher: string;
  readonly creative: string;
  /** When the ad was served, epoch milliseconds. */
  readonly issuedAt: number;
}

/** What a served ad reserves: the price of an event of it. */
export interface Reservation {
  readonly account: string;
  readonly model: Pricing['model'];
  readonly micros: number;
  /** Who holds it besides the publisher, such as a session. */
  readonly holders: readonly string[];
}

/** A served ad with its reservation. */
export interface ReservedAd extends ServedAd, Reservation {
  /** Changed by `move`. Null: the reservation has ended. */
  state: AdState | null;
  /** Whether its impression was recorded. */
  seen: boolean;
}

/** The served ads that have a reservation, and what they reserve, by account, holder and state. In memory only. */
export interface ReservedAds {
  /** Adds an ad, in the state `fresh`. */
  add(ad: ServedAd, reservation: Reservation): ReservedAd;
  /** Returns the first of the ads with this name that matches; undefined: none has a reservation. */
  find(ad: ServedAd, matches: (reserved: ReservedAd) => boolean): ReservedAd | undefined;
  /** Changes the state of an ad that has a reservation. @param to null: ends the reservation */
  move(ad: ReservedAd, to: AdState | null): void;
  /** Returns what an account's ads reserve, by publisher; undefined: nothing. */
  byPublisher(account: string): Holders | undefined;
  /** Returns the same by their other holders. */
  byHolder(account: string): Holders | undefined;
  readonly size: number;
}

export function createReservedAds(): ReservedAds {
  const accounts = new Map<string, { readonly publishers: Holders; readonly others: Holders }>();
  const byName = new Map<string, ReservedAd[]>();
  let size = 0;

  const addTo = ({ account, publisher, holders, model }: ReservedAd, state: AdState, micros: number): void => {
    const reserved = accounts.get(account) ?? { publishers: createHolders(), others: createHolders() };
    accounts.set(account, reserved);
    reserved.publishers.add(publisher, model, state, micros);
    for (const holder of holders) reserved.others.add(holder, model, state, micros);
    if (reserved.publishers.size === 0) accounts.delete(account);
  };
  const drop = (ad: ReservedAd): void => {
    const name = nameOf(ad);
    const others = byName.get(name)!.filter((each) => each !== ad);
    if (others.length === 0) byName.delete(name);
    else byName.set(name, others);
    size--;
  };

  return {
    add(ad, reservation) {
      const added: ReservedAd = { ...ad, ...reservation, state: 'fresh', seen: false };
      const name = nameOf(ad);
      byName.set(name, [...(byName.get(name) ?? []), added]);
      size++;
      addTo(added, 'fresh', added.micros);
      return added;
    },
    find: (ad, matches) => byName.get(nameOf(ad))?.find(matches),
    move(ad, to) {
      // Added before subtracting, so that no holder is dropped while it still holds something.
      if (to !== null) addTo(ad, to, ad.micros);
      if (ad.state !== null) addTo(ad, ad.state, -ad.micros);
      ad.state = to;
      if (to === null) drop(ad);
    },
    byPublisher: (account) => accounts.get(account)?.publishers,
    byHolder: (account) => accounts.get(account)?.others,
    get size() {
      return size;
    },
  };
}

/** Ads served within one millisecond may share a name; their events may then release any of them. */
function nameOf({ publisher, creative, issuedAt }: ServedAd): string {
  return `${issuedAt} ${creative} ${publisher}`;
}
