import { dirname } from 'node:path';
import { openFileForReading } from '../../server/ledger/sqlite-file.js';
import { readKeptFrom } from '../../server/ledger/installation.js';
import { eventDifferences } from './audit-events.js';
import { reportDifferences, sumDifferences } from './audit-sums.js';
import type { Books } from './books.js';
import type { Limits } from './limits.js';
import { createSeen, type Seen } from './seen.js';
import { waitingEvents } from './waiting-events.js';

/** Compares the ledger, and the events that wait for it beside it, with what callers were told. No server runs meanwhile. */
export interface Audit {
  /**
   * Looks at every event that was sent since the last look, and at all sums; `whole`: at every event of all, and at the report.
   *
   * @returns every difference, in words
   */
  differences(whole: boolean): readonly string[];
  readonly seen: Seen;
}

export interface AuditOptions {
  readonly file: string;
  readonly books: Books;
  readonly limits: Limits;
}

export function createAudit({ file, books, limits }: AuditOptions): Audit {
  const seen = createSeen();
  return {
    seen,
    differences(whole) {
      const database = openFileForReading(file);
      // All that is read is of one moment, whatever a server that starts meanwhile does.
      database.file.exec('begin');
      try {
        const events = whole ? [...books.takeTouched(), ...books.events.values()] : books.takeTouched();
        const keptFrom = readKeptFrom(database);
        const waiting = waitingEvents(dirname(file));
        return [
          ...books.waiting(waiting).map((key) => `the event ${key} waits, and nobody sent it`),
          ...eventDifferences(database.file, { events, seen, limits, keptFrom, waiting }),
          ...sumDifferences(database.file, seen, keptFrom),
          ...limits.passed(seen.byAccount, seen.byAccountAndDay),
          ...(whole ? reportDifferences(database, seen) : []),
        ];
      } finally {
        database.close();
      }
    },
  };
}
