import type { EventKind } from '../../models/schema/event-kinds.js';

/** Events known to be in the ledger: a further fetch is `repeated`, without asking the ledger. */
export interface RecordedEvents {
  /** Adds an event that the ledger counted now or before. `digest` names the request id. */
  add(kind: EventKind, digest: string): void;
  /** True if the event is known to be in the ledger. False proves nothing: the ledger may have it. */
  has(kind: EventKind, digest: string): boolean;
  /** Number of events remembered. */
  readonly size: number;
}

const MAX_EVENTS = 50_000;

/**
 * Remembers the latest events, at least half of the limit. In memory only: after a restart the ledger is asked again.
 *
 * Uses two sets and drops the older one as a whole: to find a set's oldest entry, V8 walks over all entries deleted
 * before it.
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
