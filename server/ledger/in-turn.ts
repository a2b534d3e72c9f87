import type { LedgerDatabase } from './tables/ledger-database.js';

/** As long as a start waits for another server that brings the tables up to date. */
const WITHIN_MS = 120_000;
const AGAIN_AFTER_MS = 250;

/**
 * Does what a server begins with, and again where others were in its way: of several that start at once, one may be summing
 * up anew. Between two tries all that has waited behind this one gets its turn.
 *
 * @throws Error of the store that does not pass, or the last one
 */
export function inTurn<T>(database: LedgerDatabase, begin: () => T): T {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    try {
      return begin();
    } catch (error) {
      if (!database.passes(error) || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_AFTER_MS);
    }
  }
}
