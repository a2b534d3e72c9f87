import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { ConnectionLimits } from '../../../platform/postgres/connection.js';
import { POSTGRES_STEPS } from './migration-steps.js';
import type { FromPostgres, PostgresQuery, PostgresRows, PostgresSettings, ToPostgres } from './postgres-worker.js';

/** A connection to PostgreSQL whose caller waits for the answer, as for SQLite. */
export interface PostgresConnection {
  /** Whether the ledger's tables are there; always so where they are written. */
  readonly hasTables: boolean;
  /**
   * Sends queries together and waits until all are answered.
   *
   * @param exact integers as bigint instead of number
   * @param mayTakeLong the connection is not taken for lost when the answer takes long
   * @returns a result for each, in their order
   * @throws PostgresError of the first that failed
   */
  send(queries: readonly PostgresQuery[], exact: boolean, mayTakeLong?: boolean): readonly PostgresRows[];
  /** Ends a transaction that failed; of a lost connection the server does so. */
  rollBack(): void;
  close(): void;
}

/** What PostgreSQL or the way to it says. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError';
  constructor(
    message: string,
    /** SQLSTATE, or a code of the operating system. */
    readonly code: string,
    /** The connection is of no more use; what was under way may have been committed. */
    readonly lost: boolean,
  ) {
    super(message);
  }
}

export interface PostgresOptions {
  readonly url: string;
  readonly limits: ConnectionLimits;
  /** Whether the ledger's tables are made and brought up to date; otherwise they must be. */
  readonly writes: boolean;
  /** Whether this process has had the ledger open, and so goes on beside servers of the next release. */
  readonly reopened?: boolean;
  /** How long an answer may take that is not known to take long, milliseconds; undefined: any time. */
  readonly answerMs?: number | undefined;
}

/** Connecting, and waiting for another server that brings the tables up to date. */
const OPEN_MS = 120_000;

/** @throws PostgresError when there is no connection, or the tables are of another release */
export function connectPostgres({
  url,
  limits,
  writes,
  reopened = false,
  answerMs,
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
        throw lose(new PostgresError(`PostgreSQL gave no answer within ${waitMs} ms`, '', true));
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
    const message = answer(mayTakeLong ? undefined : answerMs);
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
        // It was lost, and nothing is under way.
      }
    },
  };
}

/** Leaves no thread and no connection behind when it fails. */
function opening<T>(open: () => T, end: () => void): T {
  try {
    return open();
  } catch (error) {
    end();
    throw error;
  }
}

/** Rows as arrays, one for each column, which `unnest` takes. */
export function columnsOf(rows: readonly (readonly unknown[])[], width: number): unknown[][] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column]));
}
