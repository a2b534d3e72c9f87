import type { EventKind } from '../../models/schema/usage-event.js';

/** Events that the ledger holds: what comes again of them is repeated, without asking it. */
export interface RecordedEvents {
  /** The ledger said that it counted the event, or had it already. `digest` names the request id. */
  add(kind: EventKind, digest: string): void;
  /** False says nothing: the ledger may have it all the same. */
  has(kind: EventKind, digest: string): boolean;
  /** Events remembered. */
  readonly size: number;
}

const MAX_EVENTS = 50_000;

/**
 * Remembers the latest events, half of the limit at the least. In memory only: after a restart the ledger is asked again.
 *
 * Two sets, of which the older goes whole: to find the oldest entry of one, V8 walks over all that were deleted before it.
 */
export function createRecordedEvents(maxEvents = MAX_EVENTS): RecordedEvents {
  let recent = new Set<string>();
  let earlier = new Set<string>();
  return {
    add(kind, digest) {
      if (recent.size >= maxEvents / 2) [earlier, recent] = [recent, new Set()];
      recent.add(kind + digest);
    },
    has: (kind, digest) => recent.has(kind + digest) || earlier.has(kind + digest),
    get size() {
      return recent.size + earlier.size;
    },
  };
}
