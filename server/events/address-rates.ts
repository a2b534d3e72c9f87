import { randomBytes } from 'node:crypto';
import { clientOf, clientSiteOf } from '../domain/client-address.js';
import { keyedHash } from '../domain/secrets.js';
import { HOUR } from '../../platform/time/durations.js';

/** A rate limit per address, regardless of creative, request id and user agent. */
export interface AddressRates {
  /** Takes one event from the address's share. `now` is epoch milliseconds. @returns false when the share is used up */
  take(address: string | undefined, now: number): boolean;
  /** Number of addresses remembered. */
  readonly size: number;
}

export interface AddressRatesOptions {
  /** Long-term average. */
  readonly perHour: number;
  /** Max events at once after an idle period. */
  readonly burst?: number;
  readonly maxAddresses?: number;
}

interface Share {
  /** Events left, in units of 1/`PARTS` of an event. */
  readonly left: number;
  readonly at: number;
}

/** All networks of one IPv6 site share this many shares: each event takes one of these parts from the site's share. */
const PARTS = 10;
const MAX_ADDRESSES = 100_000;

/**
 * Creates a token bucket for each address. Addresses are hashed under a key that lives as long as the process, IPv6
 * ones by network, and forgotten once their share is full again. Nothing is stored. If the clock is set back, no time
 * has passed.
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
    // Reinsert at the end, so that the map's first entries are the ones unused for longest.
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
