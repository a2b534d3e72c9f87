import type { ClientNetwork } from '../../domain/network.js';
import { createNetworkShares } from '../../domain/network-shares.js';

/** A limit on the memory that large request bodies may hold while they are being received. */
export interface BodyMemoryLimit {
  /**
   * @param bytes the announced length of the body, or the limit if none is announced
   * @returns a function that releases the memory; null when the network, its site or the server is at its limit
   */
  take(sender: ClientNetwork, bytes: number): (() => void) | null;
}

const MiB = 1024 * 1024;

/**
 * Bodies up to this size are always admitted, one per connection: this covers most conversations, whatever others send.
 */
const SMALL_BODY = 16 * 1024;

/**
 * Creates the limit. A client may send a body as slowly as it likes, so the total size of large bodies is limited, as
 * is the share of each network and site.
 */
export function createBodyMemoryLimit(total = 64 * MiB, perNetwork = 8 * MiB): BodyMemoryLimit {
  const shares = createNetworkShares(perNetwork);
  let all = 0;
  return {
    take(sender, bytes) {
      if (bytes <= SMALL_BODY) return () => undefined;
      // One body is always admitted, however large MAX_BODY is.
      if (all > 0 && all + bytes > total) return null;
      const release = shares.take(sender, bytes);
      if (release === null) return null;
      all += bytes;
      return () => {
        all -= bytes;
        release();
      };
    },
  };
}
