import { randomBytes } from 'node:crypto';
import { networkOf } from '../domain/network.js';
import { keyedHash } from '../domain/secrets.js';

/** How often an address may click, whatever it clicks on and whatever browser it names. */
export interface AddressRates {
  /** Takes one click of the address's share. `now` is epoch milliseconds. @returns false once the share is used up */
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
  readonly left: number;
  readonly at: number;
}

const HOUR = 3_600_000;
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

  const grown = ({ left, at }: Share, now: number): number =>
    Math.min(burst, left + (Math.max(0, now - at) / HOUR) * perHour);
  const forget = (now: number): void => {
    for (const [address, share] of shares) {
      if (grown(share, now) < burst && shares.size < maxAddresses) return;
      shares.delete(address);
    }
  };

  return {
    take(address, now) {
      forget(now);
      const hashed = keyedHash(key, networkOf(address));
      const known = shares.get(hashed);
      const left = known === undefined ? burst : grown(known, now);
      // Behind all others: the first ones are those that wait longest.
      shares.delete(hashed);
      shares.set(hashed, { left: left < 1 ? left : left - 1, at: now });
      return left >= 1;
    },
    get size() {
      return shares.size;
    },
  };
}
