import { createMonotonicClock } from '../../../platform/time/monotonic-clock.js';
import { clientNetworkOf } from '../../domain/network.js';

const WINDOW_MS = 5 * 60_000;
const MAX_FAILURES = 10;
/** Failures of all networks of an IPv6 site together: a customer may have 65,536 networks. */
const MAX_FAILURES_OF_SITE = 100;
/**
 * Bounds the memory; an attacker with more addresses than this gains a few tries at a secret of 16 characters or more.
 */
const MAX_ADDRESSES = 10_000;

/** Counts failed sign-ins per client. */
export interface Attempts {
  /** Returns how many seconds this client has to wait; 0: it may try. */
  waitSeconds(address: string): number;
  failed(address: string): void;
}

/**
 * Allows ten failed sign-ins from one address, or one IPv6 network, within five minutes, and a hundred from one IPv6
 * site; then none until these are over.
 *
 * @param wallClock epoch milliseconds; nobody waits longer because it was ahead for a while
 */
export function createAttempts(wallClock: () => number): Attempts {
  const monotonicTime = createMonotonicClock();
  const clock = (): number => monotonicTime(wallClock());
  const windows = new Map<string, { readonly endsAt: number; failures: number }>();
  const countFailure = (name: string, now: number): void => {
    const window = windows.get(name);
    if (window !== undefined && window.endsAt > now) return void window.failures++;
    windows.delete(name);
    for (const [old, { endsAt }] of windows) {
      if (endsAt > now && windows.size < MAX_ADDRESSES) break;
      windows.delete(old);
    }
    windows.set(name, { endsAt: now + WINDOW_MS, failures: 1 });
  };
  return {
    waitSeconds(address) {
      const ends = limitsFor(address).map(([name, max]) => {
        const window = windows.get(name);
        return window === undefined || window.failures < max ? 0 : window.endsAt;
      });
      return Math.max(0, Math.ceil((Math.max(...ends) - clock()) / 1000));
    },
    failed(address) {
      const now = clock();
      for (const [name] of limitsFor(address)) countFailure(name, now);
    },
  };
}

/** Returns the names under which an address's failures are counted, each with its limit. */
function limitsFor(address: string): [name: string, maxFailures: number][] {
  const { network, site } = clientNetworkOf(address);
  const own: [string, number] = [network, MAX_FAILURES];
  return site === network ? [own] : [own, [site, MAX_FAILURES_OF_SITE]];
}
