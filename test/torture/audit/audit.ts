import { openForReading, type LedgerPlace } from '../../../server/ledger/database.js';
import { readKeptFrom } from '../../../server/ledger/installation.js';
import { eventDifferences, readRows } from './audit-events.js';
import { reportDifferences, sumDifferences } from './audit-sums.js';
import type { Books } from '../calls/books.js';
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
  /** Keys of the events that wait beside the ledger and are not in it. A file keeps what was handed over until nothing waits. */
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
      const database = openForReading(place);
      try {
        const rows = readRows(
          database,
          keys.map((key) => key.split(' ')[0]!),
        );
        return keys.filter((key) => !rows.has(key));
      } finally {
        database.close();
      }
    },
  };
}
