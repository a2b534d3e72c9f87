import type { LedgerDatabase } from './tables/ledger-database.js';

/** The same time that a start waits for another server's migration. */
const WITHIN_MS = 120_000;
const AGAIN_AFTER_MS = 250;

/**
 * Runs a server's first transactions, and retries them while a lock of another server gets in the way: one of several
 * that start at once may be rebuilding the roll-ups. The pause between tries lets those that wait behind this one go
 * first.
 *
 * @throws Error of the store that is not temporary, or the last temporary one
 */
export function retryWhileLocked<T>(database: LedgerDatabase, begin: () => T): T {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    try {
      return begin();
    } catch (error) {
      if (!database.isTemporary(error) || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_AFTER_MS);
    }
  }
}
