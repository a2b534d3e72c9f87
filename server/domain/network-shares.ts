import type { ClientNetwork } from './network.js';

/** Shares of a limited resource, such as connections, held per network and site. */
export interface NetworkShares {
  /** @returns a function that gives the amount back; null if the network or its site would hold too much */
  take(client: ClientNetwork, amount: number): (() => void) | null;
}

/** Max amount per site, as a multiple of a network's: an IPv6 customer has 65,536 networks. */
const NETWORKS_PER_SITE = 4;

/**
 * Creates shares: each network may hold `max`, a site four times as much. A network and site that hold nothing may
 * always take one amount, whatever its size.
 */
export function createNetworkShares(max: number): NetworkShares {
  const held = new Map<string, number>();
  const hold = (name: string, amount: number): void => {
    const now = (held.get(name) ?? 0) + amount;
    if (now === 0) held.delete(name);
    else held.set(name, now);
  };
  return {
    take({ network, site }, amount) {
      const limits = new Map([[network, max]]);
      if (site !== network) limits.set(site, NETWORKS_PER_SITE * max);
      for (const [name, limit] of limits) {
        const own = held.get(name) ?? 0;
        if (own > 0 && own + amount > limit) return null;
      }
      for (const name of limits.keys()) hold(name, amount);
      return () => {
        for (const name of limits.keys()) hold(name, -amount);
      };
    },
  };
}
