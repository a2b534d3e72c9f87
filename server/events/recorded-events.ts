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

/** Remembers the latest events. In memory only: after a restart the ledger is asked again. */
export function createRecordedEvents(maxEvents = MAX_EVENTS): RecordedEvents {
  const events = new Set<string>();
  return {
    add(kind, digest) {
      events.add(kind + digest);
      for (const oldest of events) {
        if (events.size <= maxEvents) return;
        events.delete(oldest);
      }
    },
    has: (kind, digest) => events.has(kind + digest),
    get size() {
      return events.size;
    },
  };
}
