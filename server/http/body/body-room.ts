import type { CallerNetwork } from '../../domain/network.js';

/** Memory for large bodies that are on their way in. */
export interface BodyRoom {
  /**
   * @param bytes the body's length as announced; the limit where it is not
   * @returns what gives the room back; null where there is none for this network, its site, or anybody
   */
  take(sender: CallerNetwork, bytes: number): (() => void) | null;
}

const MiB = 1024 * 1024;

/** Bodies up to here always have room, as many as there are connections: most conversations, whatever others send. */
const SMALL_BODY = 16 * 1024;

/** What one site may hold, in rooms of a network: a customer's /48 has 65,536 networks. */
const NETWORKS_A_SITE = 4;

/**
 * A caller may send a body as slowly as it likes: what all large ones may hold is bounded, and what one network and one site may.
 */
export function createBodyRoom(total = 64 * MiB, perNetwork = 8 * MiB): BodyRoom {
  const held = new Map<string, number>();
  let all = 0;
  return {
    take({ network, site }, bytes) {
      if (bytes <= SMALL_BODY) return () => undefined;
      // One body is always read, however large MAX_BODY is.
      const isFull = (holds: number, most: number): boolean => holds > 0 && holds + bytes > most;
      const names = network === site ? [network] : [network, site];
      const mosts = [perNetwork, NETWORKS_A_SITE * perNetwork];
      if (isFull(all, total) || names.some((name, at) => isFull(held.get(name) ?? 0, mosts[at]!))) return null;
      all += bytes;
      for (const name of names) held.set(name, (held.get(name) ?? 0) + bytes);
      return () => {
        all -= bytes;
        for (const name of names) {
          const left = held.get(name)! - bytes;
          if (left === 0) held.delete(name);
          else held.set(name, left);
        }
      };
    },
  };
}
