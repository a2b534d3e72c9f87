/** A key as far as its limit is concerned. */
export interface LimitedKey {
  readonly keyId: string;
  /** Null: no limit. */
  readonly requestsPerMinute: number | null;
}

/** What keys have used of their requests a minute. Counts are this process's own. */
export interface RateLimits {
  /** Seconds until a caller of this network may ask with this key; 0: now. */
  waitSeconds(key: LimitedKey, network: string): number;
  count(key: LimitedKey, network: string): void;
  /** For a request that was counted and could not be served. */
  giveBack(key: LimitedKey, network: string): void;
}

interface Window {
  readonly endsAt: number;
  /** Networks that were counted in the minute before. */
  readonly networksBefore: number;
  readonly byNetwork: Map<string, number>;
  used: number;
}

const MINUTE = 60_000;

/**
 * Holds each key to its requests a minute; a minute begins with the first request after the last one ended. Where some of
 * a key's callers have used it up, the others may still use an equal share of it each, so that one visitor cannot keep
 * out the rest; twice the limit is never passed.
 *
 * @param clock epoch milliseconds
 */
export function createRateLimits(clock: () => number): RateLimits {
  const windows = new Map<string, Window>();

  const windowOf = (keyId: string): Window => {
    const now = clock();
    const known = windows.get(keyId);
    if (known !== undefined && known.endsAt > now && known.endsAt <= now + MINUTE) return known;
    const recent = known !== undefined && now - known.endsAt < MINUTE;
    const networksBefore = recent ? known.byNetwork.size : 0;
    const begun = { endsAt: now + MINUTE, networksBefore, byNetwork: new Map<string, number>(), used: 0 };
    windows.set(keyId, begun);
    return begun;
  };

  const add = ({ keyId, requestsPerMinute }: LimitedKey, network: string, count: 1 | -1): void => {
    if (requestsPerMinute === null) return;
    const window = windowOf(keyId);
    const used = (window.byNetwork.get(network) ?? 0) + count;
    // A minute may have ended meanwhile.
    if (used < 0) return;
    window.byNetwork.set(network, used);
    window.used += count;
  };

  return {
    waitSeconds({ keyId, requestsPerMinute: limit }, network) {
      if (limit === null) return 0;
      const window = windows.get(keyId);
      if (window === undefined || window.used < limit) return 0;
      const { endsAt, networksBefore, byNetwork, used } = window;
      const wait = endsAt - clock();
      if (wait <= 0 || wait > MINUTE) return 0;
      const networks = byNetwork.size + (byNetwork.has(network) ? 0 : 1);
      const share = Math.floor(limit / Math.max(networks, networksBefore));
      if (used < 2 * limit && (byNetwork.get(network) ?? 0) < share) return 0;
      return Math.ceil(wait / 1000);
    },
    count: (key, network) => add(key, network, 1),
    giveBack: (key, network) => add(key, network, -1),
  };
}
