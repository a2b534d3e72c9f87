import { SOONEST_MS } from '../../../server/events/recent-impressions.js';
import { openForReading, type LedgerLocation } from '../../../server/ledger/database.js';
import { readKeptFrom } from '../../../server/ledger/tables/accounting-basis.js';
import { eventDifferences, readRows } from './event-differences.js';
import { reportDifferences, sumDifferences } from './sum-differences.js';
import { keyOf, priceOf, type Books } from '../calls/books.js';
import type { Limits } from './limits.js';
import { createSeen, type Seen } from './seen.js';
import { waitingEvents } from './waiting-events.js';

/**
 * Compares the ledger and the events spooled for it with the replies that callers got. No calls may be made during a
 * comparison.
 */
export interface Reconciliation {
  /**
   * Checks every event sent since the last check, and all sums. With `whole`, checks every event ever sent, and the
   * report.
   *
   * @returns a description of each difference
   */
  differences(whole: boolean): readonly string[];
  /**
   * Returns the keys of spooled events that are not in the ledger yet and must be handed over soon if the ledger is
   * writable. A spool file keeps events that were handed over until nothing is left to hand over. Excludes paid clicks
   * that were not acknowledged with certainty and may never be stored: without an impression, such a click waits for
   * ten minutes of one process; too soon after its impression, it is refused.
   */
  waiting(): readonly string[];
  readonly seen: Seen;
}

export interface ReconciliationOptions {
  readonly location: LedgerLocation;
  /** Directories in which events may be spooled for the ledger. */
  readonly dataDirs: readonly string[];
  readonly books: Books;
  readonly limits: Limits;
}

export function createReconciliation({ location, dataDirs, books, limits }: ReconciliationOptions): Reconciliation {
  const seen = createSeen();
  const kept = (): ReadonlyMap<string, number> => new Map(dataDirs.flatMap((dataDir) => [...waitingEvents(dataDir)]));
  return {
    seen,
    differences(whole) {
      const events = whole ? [...books.takeTouched(), ...books.events.values()] : books.takeTouched();
      // Read before the ledger: an event that is handed over in between is in one of them, or in both.
      const waiting = new Set(kept().keys());
      const strangers = books.waiting(waiting).map((key) => `the event ${key} waits, and nobody sent it`);
      const database = openForReading(location);
      try {
        // One transaction, so that events that a server stores meanwhile do not matter.
        return database.readConsistently(() => {
          const keptFrom = readKeptFrom(database);
          return [
            ...strangers,
            ...eventDifferences(database, { events, seen, limits, keptFrom, waiting }),
            ...sumDifferences(database, seen, keptFrom),
            ...limits.passed(seen.byAccount, seen.byAccountAndDay),
            ...(whole ? reportDifferences(database, seen) : []),
          ];
        });
      } finally {
        database.close();
      }
    },
    waiting() {
      const events = kept();
      const keys = [...events.keys()];
      if (keys.length === 0) return [];
      const database = openForReading(location);
      try {
        const rows = readRows(
          database,
          keys.map((key) => key.split(' ')[0]!),
        );
        const mayNeverBeStored = (key: string): boolean => {
          const event = books.events.get(key);
          if (event?.kind !== 'click' || event.promised || priceOf(event) === 0) return false;
          const impression = rows.get(keyOf(event.digest, 'impression'));
          return impression === undefined || impression.at > events.get(key)! - SOONEST_MS;
        };
        return keys.filter((key) => !rows.has(key) && !mayNeverBeStored(key));
      } finally {
        database.close();
      }
    },
  };
}
