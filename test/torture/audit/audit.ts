import { openForReading, type LedgerPlace } from '../../../server/ledger/database.js';
import { readKeptFrom } from '../../../server/ledger/tables/accounting-basis.js';
import { eventDifferences, readRows } from './audit-events.js';
import { reportDifferences, sumDifferences } from './audit-sums.js';
import { keyOf, priceOf, type Books } from '../calls/books.js';
import type { Limits } from './limits.js';
import { createSeen, type Seen } from './seen.js';
import { waitingEvents } from './waiting-events.js';

/** Compares the ledger, and the events that wait for it beside it, with what callers were told. Nobody calls meanwhile. */
export interface Audit {
  /**
   * Looks at every event that was sent since the last look, and at all sums; `whole`: at every event of all, and at the report.
   *
   * @returns every difference, in words
   */
  differences(whole: boolean): readonly string[];
  /**
   * Keys of the events that wait beside the ledger, are not in it, and must be handed over soon where the ledger can be written.
   * A file keeps what was handed over until nothing waits. A click that costs something and was promised to nobody waits for
   * its impression for ten minutes of one process, and may be left out of the ledger: it is not among them.
   */
  waiting(): readonly string[];
  readonly seen: Seen;
}

export interface AuditOptions {
  readonly place: LedgerPlace;
  /** Where events may wait for the ledger. */
  readonly dataDirs: readonly string[];
  readonly books: Books;
  readonly limits: Limits;
}

export function createAudit({ place, dataDirs, books, limits }: AuditOptions): Audit {
  const seen = createSeen();
  const kept = (): ReadonlySet<string> => new Set(dataDirs.flatMap((dataDir) => [...waitingEvents(dataDir)]));
  return {
    seen,
    differences(whole) {
      const events = whole ? [...books.takeTouched(), ...books.events.values()] : books.takeTouched();
      // Before the ledger: what is handed over meanwhile is in one of them, or in both.
      const waiting = kept();
      const strangers = books.waiting(waiting).map((key) => `the event ${key} waits, and nobody sent it`);
      const database = openForReading(place);
      try {
        // Whatever a server stores meanwhile.
        return database.atOnce(() => {
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
      const keys = [...kept()];
      if (keys.length === 0) return [];
      const database = openForReading(place);
      try {
        const rows = readRows(
          database,
          keys.map((key) => key.split(' ')[0]!),
        );
        const waitsForImpression = (key: string): boolean => {
          const event = books.events.get(key);
          if (event?.kind !== 'click' || event.promised || priceOf(event) === 0) return false;
          return !rows.has(keyOf(event.digest, 'impression'));
        };
        return keys.filter((key) => !rows.has(key) && !waitsForImpression(key));
      } finally {
        database.close();
      }
    },
  };
}
