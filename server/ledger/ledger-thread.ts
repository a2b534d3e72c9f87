import { Worker } from 'node:worker_threads';
import type { Batch, FromThread, ToThread } from './tables/batch.js';
import { LedgerRefusedError } from './tables/ledger-database.js';
import type { Outcome, Spend } from './tables/ledger.js';
import type { ThreadSettings } from './ledger-worker.js';

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
  /** Writes one batch at a time. @throws Error when it was not written, or when the thread died and this is unknown */
  write(batch: Batch): Promise<readonly Outcome[]>;
  /** @throws Error when the thread is not running, or dies before it answers */
  spending(at: number): Promise<readonly Spend[]>;
  close(): Promise<void>;
}

export type StartWorker = (settings: ThreadSettings) => Worker;

export const startLedgerWorker: StartWorker = (settings) =>
  new Worker(new URL('./ledger-worker.js', import.meta.url), { workerData: settings });

interface PendingReply<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

/** @throws LedgerRefusedError when the first thread cannot open the file */
export async function startLedgerThread(
  settings: Omit<ThreadSettings, 'reopened'>,
  startWorker: StartWorker,
): Promise<LedgerThread> {
  let worker: Worker;
  let ready = false;
  let closing = false;
  let pauseMs = FIRST_PAUSE_MS;
  let restart: NodeJS.Timeout | undefined;
  let opening: PendingReply<number | null> | undefined;
  let cause: Error | null = null;
  let writing: PendingReply<readonly Outcome[]> | undefined;
  let readings: PendingReply<readonly Spend[]>[] = [];

  const onMessage = (message: FromThread): void => {
    if ('opened' in message) {
      ready = true;
      cause = null;
      opening?.resolve(message.clockMark);
    } else if ('refused' in message) {
      cause = new LedgerRefusedError(message.refused);
      opening?.reject(cause);
      // A refusal at the start stops the server. After a restart of the thread, the file may become available again.
      closing ||= opening !== undefined;
    } else if ('spending' in message) {
      readings.shift()?.resolve(message.spending);
    } else if ('readFailed' in message) {
      readings.shift()?.reject(new Error(message.readFailed));
    } else {
      const waiter = writing;
      writing = undefined;
      if ('failed' in message) return waiter?.reject(new Error(message.failed));
      pauseMs = FIRST_PAUSE_MS;
      waiter?.resolve(message.written);
    }
    opening = undefined;
  };
  const death = (): Error => cause ?? new Error('the ledger thread ended');
  const replace = (): void => {
    ready = false;
    writing?.reject(death());
    for (const reading of readings) reading.reject(death());
    writing = undefined;
    readings = [];
    opening?.reject(death());
    if (closing || opening !== undefined) return;
    restart = setTimeout(start, pauseMs);
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
  };
  const start = (): void => {
    worker = startWorker({ ...settings, reopened: opening === undefined });
    worker.on('message', onMessage);
    worker.on('error', (error: Error) => (cause = error));
    worker.on('exit', replace);
  };

  const clockMark = await new Promise<number | null>((resolve, reject) => {
    opening = { resolve, reject };
    start();
  });
  return {
    get ready() {
      return ready;
    },
    get cause() {
      return cause;
    },
    clockMark,
    write: (batch) =>
      new Promise((resolve, reject) => {
        if (!ready) return reject(death());
        writing = { resolve, reject };
        worker.postMessage({ write: batch } satisfies ToThread);
      }),
    spending: (at) =>
      new Promise((resolve, reject) => {
        if (!ready) return reject(death());
        readings.push({ resolve, reject });
        worker.postMessage({ spendingAt: at } satisfies ToThread);
      }),
    async close() {
      closing = true;
      clearTimeout(restart);
      if (ready) await closed(worker);
      else await worker.terminate();
    },
  };
}

function closed(worker: Worker): Promise<void> {
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  worker.postMessage({ close: true } satisfies ToThread);
  return ended;
}
