/** Memory for large bodies that are on their way in. */
export interface BodyRoom {
  /**
   * @param bytes the body's length as announced; the limit where it is not
   * @returns what gives the room back; null where there is none for this network, or for anybody
   */
  take(network: string, bytes: number): (() => void) | null;
}

const MiB = 1024 * 1024;

/** Bodies up to here always have room, as many as there are connections: most conversations, whatever others send. */
const SMALL_BODY = 16 * 1024;

/** A caller may send a body as slowly as it likes: what all large ones may hold is bounded, and what one network may. */
export function createBodyRoom(total = 64 * MiB, perNetwork = 8 * MiB): BodyRoom {
  const held = new Map<string, number>();
  let all = 0;
  return {
    take(network, bytes) {
      if (bytes <= SMALL_BODY) return () => undefined;
      const own = held.get(network) ?? 0;
      // One body is always read, however large MAX_BODY is.
      if ((all > 0 && all + bytes > total) || (own > 0 && own + bytes > perNetwork)) return null;
      all += bytes;
      held.set(network, own + bytes);
      return () => {
        all -= bytes;
        const left = held.get(network)! - bytes;
        if (left === 0) held.delete(network);
        else held.set(network, left);
      };
    },
  };
}
