import type { ClientNetwork } from '../domain/network.js';
import { MINUTE } from '../../platform/time/durations.js';

/** The part of a key that rate limits need. */
export interface LimitedKey {
  readonly keyId: string;
  /** Null: no limit. */
  readonly requestsPerMinute: number | null;
}

/** Requests per key in the current minute. Counted by this process only. */
export interface RateLimits {
  /** Seconds until this client may send a request with this key; 0: now. */
  waitSeconds(key: LimitedKey, client: ClientNetwork): number;
  count(key: LimitedKey, client: ClientNetwork): void;
  /** Takes back the count of a request that could not be served. */
  giveBack(key: LimitedKey, client: ClientNetwork): void;
}

interface Window {
  readonly endsAt: number;
  /** Sharers counted in the previous minute. */
  readonly sharersBefore: number;
  readonly byNetwork: Map<string, number>;
  readonly bySite: Map<string, { networks: number; used: number }>;
  /** Networks that share the limit; each site counts at most as many as it may have shares. */
  sharers: number;
  used: number;
}

/** An IPv6 customer has 65,536 networks; all networks of a site together have this many shares. */
const SHARES_PER_SITE = 10;

/**
 * Enforces each key's limit of requests per minute. A minute begins with the first request after the previous one
 * ended. When some clients have used up the limit, each other client may still use an equal share of it, at least one
 * request, so that one visitor cannot lock out the rest. A site may use at most the limit itself, and twice the limit
 * is never exceeded.
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
    const sharersBefore = recent ? known.sharers : 0;
    const begun: Window = {
      endsAt: now + MINUTE,
      sharersBefore,
      byNetwork: new Map(),
      bySite: new Map(),
      sharers: 0,
      used: 0,
    };
    windows.set(keyId, begun);
    return begun;
  };

  const add = (
    { keyId, requestsPerMinute }: LimitedKey,
    { network, site: name }: ClientNetwork,
    count: 1 | -1,
  ): void => {
    if (requestsPerMinute === null) return;
    const window = windowOf(keyId);
    const before = window.byNetwork.get(network);
    const used = (before ?? 0) + count;
    // The minute in which the request was counted may have ended.
    if (used < 0) return;
    const site = window.bySite.get(name) ?? { networks: 0, used: 0 };
    if (before === undefined && ++site.networks <= SHARES_PER_SITE) window.sharers++;
    site.used += count;
    window.bySite.set(name, site);
    window.byNetwork.set(network, used);
    window.used += count;
  };

  return {
    waitSeconds({ keyId, requestsPerMinute: limit }, { network, site: name }) {
      if (limit === null) return 0;
      const window = windows.get(keyId);
      if (window === undefined || window.used < limit) return 0;
      const { endsAt, sharersBefore, sharers, byNetwork, bySite, used } = window;
      const wait = endsAt - clock();
      if (wait <= 0 || wait > MINUTE) return 0;
      const site = bySite.get(name) ?? { networks: 0, used: 0 };
      const isOneMore = !byNetwork.has(network) && site.networks < SHARES_PER_SITE;
      const share = Math.max(1, Math.floor(limit / Math.max(sharers + (isOneMore ? 1 : 0), sharersBefore)));
      const ofSite = Math.min(SHARES_PER_SITE * share, limit);
      const hasShare = (byNetwork.get(network) ?? 0) < share && site.used < ofSite;
      if (used < 2 * limit && hasShare) return 0;
      return Math.ceil(wait / 1000);
    },
    count: (key, client) => add(key, client, 1),
    giveBack: (key, client) => add(key, client, -1),
  };
}
