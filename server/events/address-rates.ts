import { randomBytes } from 'node:crypto';
import { clientOf, clientSiteOf } from '../domain/client-address.js';
import { keyedHash } from '../domain/secrets.js';

/** How often an address may do something, whatever it does it with and whatever browser it names. */
export interface AddressRates {
  /** Takes one of the address's share. `now` is epoch milliseconds. @returns false once the share is used up */
  take(address: string | undefined, now: number): boolean;
  /** Addresses remembered. */
  readonly size: number;
}

export interface AddressRatesOptions {
  /** In the long run. */
  readonly perHour: number;
  /** At once, after a while without any. */
  readonly burst?: number;
  readonly maxAddresses?: number;
}

interface Share {
  /** In `PARTS` of one. */
  readonly left: number;
  readonly at: number;
}

const HOUR = 3_600_000;
/** All networks of one IPv6 site together have so many shares: each takes one of so many parts from the site's. */
const PARTS = 10;
const MAX_ADDRESSES = 100_000;

/**
 * Each address has a share that grows with time, up to the burst. Addresses are hashed under a key that lives as long as the
 * process, IPv6 by network, and forgotten once their share is whole again; nothing is stored. The clock may be set back: no
 * time has passed then.
 */
export function createAddressRates(options: AddressRatesOptions): AddressRates {
  const { perHour, burst = Math.max(1, perHour / 12), maxAddresses = MAX_ADDRESSES } = options;
  const key = randomBytes(32);
  const shares = new Map<string, Share>();
  const whole = burst * PARTS;

  const grown = ({ left, at }: Share, now: number): number =>
    Math.min(whole, left + (Math.max(0, now - at) / HOUR) * perHour * PARTS);
  const forget = (now: number): void => {
    for (const [address, share] of shares) {
      if (grown(share, now) < whole && shares.size < maxAddresses) return;
      shares.delete(address);
    }
  };

  const takeFrom = (name: string, parts: number, now: number): boolean => {
    const hashed = keyedHash(key, name);
    const known = shares.get(hashed);
    const left = known === undefined ? whole : grown(known, now);
    // Behind all others: the first ones are those that wait longest.
    shares.delete(hashed);
    shares.set(hashed, { left: left < parts ? left : left - parts, at: now });
    return left >= parts;
  };

  return {
    take(address, now) {
      forget(now);
      const [network, site] = [clientOf(address), clientSiteOf(address)];
      if (!takeFrom(network, PARTS, now)) return false;
      return network === site || takeFrom(site, 1, now);
    },
    get size() {
      return shares.size;
    },
  };
}
