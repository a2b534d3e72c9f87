import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { ConnectionTimeouts } from '../../../platform/postgres/connection.js';
import { POSTGRES_STEPS } from './migration-steps.js';
import type { FromPostgres, PostgresQuery, PostgresRows, PostgresSettings, ToPostgres } from './postgres-worker.js';

/** A synchronous connection to PostgreSQL: the caller blocks until the result is there, as with SQLite. */
export interface PostgresConnection {
  /** Whether the ledger's tables exist; always true on a connection that writes. */
  readonly hasTables: boolean;
  /**
   * Sends queries together and waits until all are done.
   *
   * @param exact integers as bigint instead of number
   * @param mayTakeLong the connection is not considered lost however long the queries take
   * @returns one result per query, in their order
   * @throws PostgresError of the first query that failed
   */
  send(queries: readonly PostgresQuery[], exact: boolean, mayTakeLong?: boolean): readonly PostgresRows[];
  /** Rolls back a failed transaction. On a lost connection, PostgreSQL does so itself. */
  rollBack(): void;
  close(): void;
}

/** An error of PostgreSQL or of the connection to it. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError';
  constructor(
    message: string,
    /** SQLSTATE, or a code of the operating system. */
    readonly code: string,
    /** Whether the connection is unusable; what was in progress may have been committed. */
    readonly lost: boolean,
  ) {
    super(message);
  }
}

export interface PostgresOptions {
  readonly url: string;
  readonly limits: ConnectionTimeouts;
  /** Whether to create and migrate the ledger's tables; otherwise they must be up to date. */
  readonly writes: boolean;
  /** Whether this process has opened the ledger before, and so goes on working beside servers of the next release. */
  readonly reopened?: boolean;
  /** How long queries may take unless `mayTakeLong`, milliseconds; undefined: no limit. */
  readonly responseMs?: number | undefined;
}

/** Time to connect, and to wait for another server's migration. */
const OPEN_MS = 120_000;

/**
 * Does not use `platform/threads/requests.ts`, whose answers need the event loop, which is blocked here meanwhile.
 *
 * @throws PostgresError when there is no connection, or the tables are of another release
 */
export function connectPostgres({
  url,
  limits,
  writes,
  reopened = false,
  responseMs,
}: PostgresOptions): PostgresConnection {
  const { port1: port, port2 } = new MessageChannel();
  const answered = new SharedArrayBuffer(4);
  const signal = new Int32Array(answered);
  const settings: PostgresSettings = { url, limits, writes, reopened, steps: POSTGRES_STEPS, port: port2, answered };
  const worker = new Worker(new URL('./postgres-worker.js', import.meta.url), {
    workerData: settings,
    transferList: [port2],
  });
  worker.unref();
  let lost: PostgresError | undefined;

  const end = (): void => {
    port.close();
    void worker.terminate();
  };
  const lose = (error: PostgresError): PostgresError => {
    lost = error;
    end();
    return error;
  };
  const answer = (waitMs: number | undefined): Exclude<FromPostgres, { failed: string }> => {
    for (;;) {
      const seen = Atomics.load(signal, 0);
      const received = receiveMessageOnPort(port);
      if (received === undefined) {
        if (Atomics.wait(signal, 0, seen, waitMs) !== 'timed-out') continue;
        throw lose(new PostgresError(`PostgreSQL gave no answer within ${waitMs} ms`, 'ETIMEDOUT', true));
      }
      const message = received.message as FromPostgres;
      if (!('failed' in message)) return message;
      const error = new PostgresError(message.failed, message.code, message.lost);
      throw message.lost ? lose(error) : error;
    }
  };

  const send = (queries: readonly PostgresQuery[], exact: boolean, mayTakeLong = false): readonly PostgresRows[] => {
    if (lost !== undefined) throw lost;
    port.postMessage({ queries, exact } satisfies ToPostgres);
    const message = answer(mayTakeLong ? undefined : responseMs);
    return 'results' in message ? message.results : [];
  };

  const opened = opening(() => answer(OPEN_MS), end);
  return {
    hasTables: 'opened' in opened && opened.hasTables,
    send,
    rollBack() {
      if (lost === undefined) send([{ text: 'rollback' }], false);
    },
    close() {
      if (lost !== undefined) return;
      port.postMessage({ close: true } satisfies ToPostgres);
      try {
        answer(1000);
        end();
      } catch {
        // The connection was lost, and nothing is in progress.
      }
    },
  };
}

/** Ends the thread and the connection if opening fails. */
function opening<T>(open: () => T, end: () => void): T {
  try {
    return open();
  } catch (error) {
    end();
    throw error;
  }
}

/** Turns rows into one array per column, for `unnest`. */
export function columnsOf(rows: readonly (readonly unknown[])[], width: number): unknown[][] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column]));
}
