import { parentPort, workerData } from 'node:worker_threads';
import { answerOpening, answerRequests } from '../../platform/threads/answer.js';
import { DAY } from '../../platform/time/durations.js';
import { openForWriting, type LedgerLocation } from './database.js';
import type { LedgerDatabase } from './tables/ledger-database.js';
import {
  storeAccountingBasis,
  readClockMark,
  rollUpsAreCurrent,
  type AccountingBasis,
} from './tables/accounting-basis.js';
import { retryWhileLocked } from './retry-while-locked.js';
import { repairKeptFrom } from './repair-kept-from.js';
import { rebuildRollUps } from './sums/rebuild.js';
import { createRetention } from './retention.js';
import { createLedgerStore, type LedgerStore } from './bill-events.js';

/** The thread's `workerData`. */
export interface ThreadSettings extends AccountingBasis {
  readonly location: LedgerLocation;
  readonly busyTimeoutMs: number;
  /** Whether an earlier thread of this process has opened the ledger. */
  readonly reopened: boolean;
  /** How many days raw events are kept; null: forever. */
  readonly keepEventsDays: number | null;
}

/** Why the ledger could not be opened, or why a task failed. */
export type LedgerFailure = { readonly refused: string } | { readonly failed: string };

/**
 * If PostgreSQL gives no answer for so long, the connection is considered lost, so that waiting beacons can be
 * answered.
 */
const ANSWER_MS = 15_000;
/**
 * While pruning waits for the exclusive lock, no server can begin a batch. It gives up and tries again a second later.
 */
const PRUNE_WAIT_MS = 100;
const PRUNE_EVERY_MS = DAY;
/** How often a server tries to take over from the one that prunes. */
const BECOME_PRUNER_EVERY_MS = 10_000;

// The store is synchronous and waits for the disk, or for PostgreSQL, at every commit: so it has its own thread.
const port = parentPort!;
const settings = workerData as ThreadSettings;

try {
  const database = openForWriting(settings.location, settings.busyTimeoutMs, ANSWER_MS, settings.reopened);
  // First, since this takes the server's slot: a process that opens the ledger from now on detects this server.
  const store = createLedgerStore(database, settings.timeZone);
  const begin = (): number | null => prepareLedger(database, settings);
  // A locked file is unexpected and reported at once. In a database, another server may hold the lock for a while.
  const clockMark = 'url' in settings.location ? retryWhileLocked(database, begin) : begin();
  const pruning = prune(database, settings);
  // A full disk or a lock is temporary. Any other error ends this thread; a new one opens the ledger again.
  answerRequests<LedgerStore, LedgerFailure>(port, store, {
    failureOf: (error) => ({ failed: (error as Error).message }),
    isFatal: (error) => !database.isTemporary(error),
    close() {
      clearInterval(pruning);
      database.close();
    },
  });
  answerOpening(port, { result: clockMark });
} catch (error) {
  answerOpening(port, { failure: { refused: (error as Error).message } satisfies LedgerFailure });
  port.close();
}

/** Checks the accounting basis and rebuilds what an earlier release left. @returns the clock's mark */
function prepareLedger(database: LedgerDatabase, { timeZone, ...basis }: ThreadSettings): number | null {
  database.exclusively(() => storeAccountingBasis(database, { ...basis, timeZone }));
  const clockMark = readClockMark(database);
  repairKeptFrom(database, timeZone, Math.max(Date.now(), clockMark ?? 0));
  if (!rollUpsAreCurrent(database)) rebuildRollUps(database, timeZone);
  return clockMark;
}

/** Deletes old events once a day, one step per second, while no other server does. */
function prune(database: LedgerDatabase, { timeZone, keepEventsDays }: ThreadSettings): NodeJS.Timeout | undefined {
  if (keepEventsDays === null) return undefined;
  const retention = createRetention(database, timeZone, keepEventsDays);
  let next = 0;
  return setInterval(() => {
    // By a monotonic clock, which goes on even if the machine's clock is set back.
    if (performance.now() < next) return;
    try {
      if (!database.becomePruner()) {
        next = performance.now() + BECOME_PRUNER_EVERY_MS;
        return;
      }
      // The machine's clock: `step` also reads the ledger's clock and the newest event, and uses the earliest of them.
      const more = retention.step(Date.now(), PRUNE_WAIT_MS);
      if (!more) next = performance.now() + PRUNE_EVERY_MS;
    } catch (error) {
      if (!database.isTemporary(error)) throw error;
    }
  }, 1000);
}
