import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ThreadRequests } from '../../platform/threads/requests.js';
import type { Batch } from './tables/batch.js';
import { LedgerRefusedError } from './tables/ledger-database.js';
import type { Outcome, Spend } from './tables/ledger.js';
import type { LedgerStore } from './bill-events.js';
import type { LedgerFailure, ThreadSettings } from './ledger-worker.js';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;

/** The thread that owns the ledger's file or connection. A new thread replaces it when it dies. */
export interface LedgerThread {
  /** False from a thread's death until its successor has opened the ledger. */
  readonly ready: boolean;
  /** Why the latest thread died or could not open the ledger; null: unknown, or a thread has opened it since. */
  readonly cause: Error | null;
  /** The ledger clock's mark that was stored when the first thread opened the ledger, epoch milliseconds. */
  readonly clockMark: number | null;
  /** @throws Error when it was not written, or when the thread died and this is unknown */
  write(batch: Batch): Promise<readonly Outcome[]>;
  /** @throws Error when the thread is not running, or dies before it answers */
  spending(at: number): Promise<readonly Spend[]>;
  close(): Promise<void>;
}

export type StartWorker = (settings: ThreadSettings) => Worker;

export const startLedgerWorker: StartWorker = (settings) =>
  new Worker(new URL('./ledger-worker.js', import.meta.url), { workerData: settings });

/** @throws LedgerRefusedError when the first thread cannot open the file */
export async function startLedgerThread(
  settings: Omit<ThreadSettings, 'reopened'>,
  startWorker: StartWorker,
): Promise<LedgerThread> {
  let thread: ThreadRequests<LedgerStore, number | null, LedgerFailure>;
  let isOpen = false;
  let cause: Error | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  const closing = new AbortController();

  /** Starts a thread. @returns the clock's mark, once the thread has opened the ledger */
  const open = async (reopened: boolean): Promise<number | null> => {
    isOpen = false;
    try {
      thread = new ThreadRequests(startWorker({ ...settings, reopened }), {
        ended: 'the ledger thread ended',
        errorOf,
      });
      thread.worker.on('error', (error: Error) => (cause = error));
      const clockMark = await thread.opened();
      isOpen = true;
      cause = null;
      return clockMark;
    } catch (error) {
      cause = error as Error;
      throw error;
    }
  };
  const replaceWhenEnded = async (): Promise<void> => {
    const { signal } = closing;
    for (;;) {
      await thread.ended;
      if (!signal.aborted) await pause(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
      // A refusal at the start stops the server. After a restart of the thread, the file may become available again.
      await open(true).catch(() => undefined);
    }
  };
  const isReady = (): boolean => isOpen && !thread.hasEnded;
  const refuseUnlessReady = (): void => {
    if (!isReady()) throw cause ?? new Error('the ledger thread ended');
  };

  const clockMark = await open(false);
  void replaceWhenEnded();
  return {
    get ready() {
      return isReady();
    },
    get cause() {
      return cause;
    },
    clockMark,
    async write(batch) {
      refuseUnlessReady();
      const outcomes = await thread.ask('write', batch);
      pauseMs = FIRST_PAUSE_MS;
      return outcomes;
    },
    async spending(at) {
      refuseUnlessReady();
      return thread.ask('spending', at);
    },
    async close() {
      closing.abort();
      if (isReady()) await thread.close();
      else await thread.worker.terminate();
    },
  };
}

function errorOf(failure: LedgerFailure): Error {
  return 'refused' in failure ? new LedgerRefusedError(failure.refused) : new Error(failure.failed);
}
