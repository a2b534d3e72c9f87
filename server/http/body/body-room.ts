import type { CallerNetwork } from '../../domain/network.js';
import { createNetworkShares } from '../../domain/network-shares.js';

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

/** A caller may send a body as slowly as it likes: what all large ones may hold is bounded, and what one network and one site may. */
export function createBodyRoom(total = 64 * MiB, perNetwork = 8 * MiB): BodyRoom {
  const shares = createNetworkShares(perNetwork);
  let all = 0;
  return {
    take(sender, bytes) {
      if (bytes <= SMALL_BODY) return () => undefined;
      // One body is always read, however large MAX_BODY is.
      if (all > 0 && all + bytes > total) return null;
      const giveBack = shares.take(sender, bytes);
      if (giveBack === null) return null;
      all += bytes;
      return () => {
        all -= bytes;
        giveBack();
      };
    },
  };
}
