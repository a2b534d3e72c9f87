import { parentPort, workerData } from 'node:worker_threads';
import type { Batch, FromThread, ToThread } from './tables/batch.js';
import { openForWriting, type LedgerPlace } from './database.js';
import type { LedgerDatabase } from './tables/ledger-database.js';
import { fixInstallation, readClockMark, rollUpsAreCurrent, type Installation } from './tables/accounting-basis.js';
import { inTurn } from './in-turn.js';
import { mendKeptFrom } from './mend-kept-from.js';
import { rebuildRollUps } from './sums/rebuild.js';
import { createRetention } from './retention.js';
import { createLedgerStore, type LedgerStore } from './bill-events.js';

/** What the thread is started with. */
export interface ThreadSettings extends Installation {
  readonly place: LedgerPlace;
  readonly busyTimeoutMs: number;
  /** Whether a thread of this process has had the ledger open. */
  readonly reopened: boolean;
  /** For how many days raw events are kept; null: for ever. */
  readonly keepEventsDays: number | null;
}

/** A PostgreSQL that answers no batch for so long is gone, as far as waiting beacons are concerned. */
const ANSWER_MS = 15_000;
/** While it waits to have the ledger alone, no server's batch begins: it rather tries again a second later. */
const PRUNE_WAIT_MS = 100;
const PRUNE_EVERY_MS = 24 * 3_600_000;

// The store is synchronous and waits for the disk, or for PostgreSQL, at every commit: it has this thread to itself.
const port = parentPort!;
const settings = workerData as ThreadSettings;
const answer = (message: FromThread): void => port.postMessage(message);

try {
  const database = openForWriting(settings.place, settings.busyTimeoutMs, ANSWER_MS, settings.reopened);
  // First: who opens the ledger meanwhile sees that this server is there.
  const store = createLedgerStore(database, settings.timeZone);
  const begin = (): number | null => beginAfresh(database, settings);
  // A file that is locked is somebody's doing; in a database, other servers come and go.
  const clockMark = 'url' in settings.place ? inTurn(database, begin) : begin();
  const pruning = prune(database, settings);
  port.on('message', (message: ToThread) => {
    if ('write' in message) return write(database, store, message.write);
    if ('spendingAt' in message) return read(database, store, message.spendingAt);
    clearInterval(pruning);
    database.close();
    port.close();
  });
  answer({ opened: true, clockMark });
} catch (error) {
  answer({ refused: (error as Error).message });
  port.close();
}

/** @returns the clock's mark */
function beginAfresh(database: LedgerDatabase, { timeZone, ...installation }: ThreadSettings): number | null {
  database.exclusively(() => fixInstallation(database, { ...installation, timeZone }));
  const clockMark = readClockMark(database);
  mendKeptFrom(database, timeZone, Math.max(Date.now(), clockMark ?? 0));
  if (!rollUpsAreCurrent(database)) rebuildRollUps(database, timeZone);
  return clockMark;
}

function write(database: LedgerDatabase, store: LedgerStore, batch: Batch): void {
  try {
    answer({ written: store.write(batch) });
  } catch (error) {
    answer({ failed: (error as Error).message });
    rethrowUnlessItPasses(database, error);
  }
}

function read(database: LedgerDatabase, store: LedgerStore, at: number): void {
  try {
    answer({ spending: store.spending(at) });
  } catch (error) {
    answer({ readFailed: (error as Error).message });
    rethrowUnlessItPasses(database, error);
  }
}

/** Once a day, a step a second. */
function prune(database: LedgerDatabase, { timeZone, keepEventsDays }: ThreadSettings): NodeJS.Timeout | undefined {
  if (keepEventsDays === null) return undefined;
  const retention = createRetention(database, timeZone, keepEventsDays);
  let next = 0;
  return setInterval(() => {
    // By a clock that nobody sets: it goes on after the other one was put back.
    if (performance.now() < next) return;
    try {
      // The machine's clock: what is old enough follows from the ledger's too, whichever is earlier.
      const more = retention.step(Date.now(), PRUNE_WAIT_MS);
      if (!more) next = performance.now() + PRUNE_EVERY_MS;
    } catch (error) {
      rethrowUnlessItPasses(database, error);
    }
  }, 1000);
}

/** A full disk or a lock passes. After anything else the ledger is better opened afresh: this thread ends and is replaced. */
function rethrowUnlessItPasses(database: LedgerDatabase, error: unknown): void {
  if (!database.passes(error)) throw error;
}
