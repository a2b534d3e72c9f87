import { createMonotonicClock } from '../../../platform/time/monotonic-clock.js';
import { networkOf } from '../../domain/network.js';

const WINDOW_MS = 5 * 60_000;
const MAX_FAILURES = 10;
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
 * Allows ten failed sign-ins from one address, or one IPv6 network, within five minutes, then none until these are
 * over.
 *
 * @param wallClock epoch milliseconds; nobody waits longer because it was ahead for a while
 */
export function createAttempts(wallClock: () => number): Attempts {
  const monotonicTime = createMonotonicClock();
  const clock = (): number => monotonicTime(wallClock());
  const windows = new Map<string, { readonly endsAt: number; failures: number }>();
  return {
    waitSeconds(address) {
      const window = windows.get(networkOf(address));
      if (window === undefined || window.failures < MAX_FAILURES) return 0;
      return Math.max(0, Math.ceil((window.endsAt - clock()) / 1000));
    },
    failed(address) {
      const now = clock();
      const network = networkOf(address);
      const window = windows.get(network);
      if (window !== undefined && window.endsAt > now) return void window.failures++;
      windows.delete(network);
      for (const [old, { endsAt }] of windows) {
        if (endsAt > now && windows.size < MAX_ADDRESSES) break;
        windows.delete(old);
      }
      windows.set(network, { endsAt: now + WINDOW_MS, failures: 1 });
    },
  };
}
