import { type MessagePort, workerData } from 'node:worker_threads';
import type { Client } from 'pg';
import { openClient, type ConnectionTimeouts } from '../../../platform/postgres/connection.js';
import { isConnectionLost } from '../../../platform/postgres/connection-lost.js';
import { hasTables, migrate } from '../../../platform/postgres/migrate.js';
import type { MigrationStep } from '../../../platform/postgres/migration-step.js';
import { refuseTransactionPooling } from '../../../platform/postgres/refuse-transaction-pooling.js';

/** The thread's `workerData`. */
export interface PostgresSettings {
  readonly url: string;
  readonly limits: ConnectionTimeouts;
  /** Whether to create and migrate tables; otherwise they must be up to date. */
  readonly writes: boolean;
  /** Whether this process has opened the ledger before. */
  readonly reopened: boolean;
  readonly steps: readonly MigrationStep[];
  readonly port: MessagePort;
  /** One 32-bit number, incremented with each answer. */
  readonly answered: SharedArrayBuffer;
}

/** One statement. With a name, it is prepared once per connection. */
export interface PostgresQuery {
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly name?: string;
}

/** A request to the thread. Its queries are sent together and run in their order. */
export type ToPostgres =
  { readonly queries: readonly PostgresQuery[]; readonly exact: boolean } | { readonly close: true };

/** A query's rows, and how many rows it read or changed. */
export interface PostgresRows {
  readonly columns: readonly string[];
  /** Positions of the columns with bytes; their values are hex. */
  readonly bytes: readonly number[];
  readonly rows: readonly (readonly unknown[])[];
  readonly changes: number;
}

export type FromPostgres =
  | { readonly opened: true; readonly hasTables: boolean }
  | { readonly results: readonly PostgresRows[] }
  /** `code` is an SQLSTATE or a code of the operating system; `lost`: the connection is unusable. */
  | { readonly failed: string; readonly code: string; readonly lost: boolean }
  | { readonly closed: true };

// The calling thread blocks and so cannot run its event loop: this thread owns the connection and runs its own.
const { url, limits, writes, reopened, steps, port, answered } = workerData as PostgresSettings;
const signal = new Int32Array(answered);
let lost: Error | undefined;

function answer(message: FromPostgres): void {
  port.postMessage(message);
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
}

function fail(error: unknown): void {
  const { message, code = '' } = (lost ?? error) as Error & { code?: string };
  // A server that ends a connection sends a fatal error first; one that has died sends nothing.
  const isLost = lost !== undefined || isConnectionLost(error);
  answer({ failed: message === '' ? code : message, code, lost: isLost });
}

try {
  const client = await openClient(url, { ...limits, pipeline: true }, (error) => (lost ??= error));
  await refuseTransactionPooling(client, url);
  if (writes) await migrate(client, 'ledger', steps, { reopened });
  const isThere = writes || (await hasTables(client, 'ledger', steps, { reopened }));
  port.on('message', (request: ToPostgres) => void serve(client, request));
  answer({ opened: true, hasTables: isThere });
} catch (error) {
  fail(error);
}

async function serve(client: Client, request: ToPostgres): Promise<void> {
  if ('close' in request) {
    await client.end().catch(() => {});
    return answer({ closed: true });
  }
  const { queries, exact } = request;
  const done = await Promise.allSettled(queries.map((query) => run(client, query, exact)));
  // Once a statement of a transaction fails, all later ones fail because of it: report the first.
  const failed = done.find((result) => result.status === 'rejected');
  if (failed !== undefined) return fail(failed.reason);
  answer({ results: done.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])) });
}

const [INT8, NUMERIC, BYTES] = [20, 1700, 17];
const SMALL = new Set([21, 23, 26]);

async function run(client: Client, { text, values = [], name }: PostgresQuery, exact: boolean): Promise<PostgresRows> {
  const integer = exact ? BigInt : Number;
  const parserOf = (type: number): ((value: string) => unknown) => {
    if (type === INT8 || type === NUMERIC || SMALL.has(type)) return integer;
    return type === BYTES ? (value) => value.slice(2) : (value) => value;
  };
  const { fields, rows, rowCount } = await client.query<unknown[]>({
    text,
    values: [...values],
    ...(name === undefined ? {} : { name }),
    rowMode: 'array',
    types: { getTypeParser: parserOf as never },
  });
  const bytes = fields.flatMap(({ dataTypeID }, position) => (dataTypeID === BYTES ? [position] : []));
  return { columns: fields.map((field) => field.name), bytes, rows, changes: rowCount ?? 0 };
}
