import type { CallerNetwork } from './network.js';

/** What callers hold of something that there is little of, such as connections. */
export interface NetworkShares {
  /** @returns what gives it back; null where the network, or the site that has it, would hold too much */
  take(caller: CallerNetwork, amount: number): (() => void) | null;
}

/** What one site may hold, in shares of a network: an IPv6 customer has 65,536 networks. */
const NETWORKS_A_SITE = 4;

/** Each network may hold so much, a site four times as much; one who holds nothing may always take something, however much it is. */
export function createNetworkShares(most: number): NetworkShares {
  const held = new Map<string, number>();
  const hold = (name: string, amount: number): void => {
    const now = (held.get(name) ?? 0) + amount;
    if (now === 0) held.delete(name);
    else held.set(name, now);
  };
  return {
    take({ network, site }, amount) {
      const limits = new Map([[network, most]]);
      if (site !== network) limits.set(site, NETWORKS_A_SITE * most);
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
