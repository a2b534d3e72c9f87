import type pg from 'pg';
import { makeDataDirectory } from '../files/data-directory.js';
import { openClient, openPool } from '../postgres/connection.js';
import { connectionFault } from '../postgres/connection-fault.js';
import { migrate } from '../postgres/migrate.js';
import { refuseTransactionPooling } from '../postgres/refuse-transaction-pooling.js';
import { createCopies, type Unwritten } from './copies.js';
import { claimCopy } from './copy-mark.js';
import { isDatabaseUnreachable } from './database-unreachable.js';
import { type MoveMark, readMoveMark, refuseMoved } from './move-mark.js';
import { CLOSE_TIMEOUT_MS, withTimeLimit } from './with-time-limit.js';
import { oneAtATime } from './one-at-a-time.js';
import { CLUSTER_STEPS } from './schema.js';

/**
 * The data that the nodes of an installation share in the database of `DATABASE_URL`. Each node has copies in its
 * DATA_DIR, in the same files as an installation without a database. Nodes read the copies and write only to the
 * database.
 */
export interface Cluster {
  /** Identifies the database; generated with its tables. */
  readonly id: string;
  readonly url: string;
  readonly dataDir: string;
  readonly pool: pg.Pool;
  /** Brings this node's copies of documents and logs up to date. @throws Error when the database does not respond */
  refresh(): Promise<void>;
  /** Returns a document that is newer than its copy, because that cannot be written; undefined: the copy is current. */
  unwritten(name: string): Unwritten | undefined;
  /** Closes the connections; waits for one second at most. */
  close(): Promise<void>;
}

export interface ClusterOptions {
  /** A URL as in `DATABASE_URL`. */
  readonly url: string;
  readonly dataDir: string;
  /**
   * The id of this DATA_DIR when the installation is being moved into it. Without it, a database that the installation
   * has left is refused.
   */
  readonly movedTo?: string;
}

/** The pointer is copied by `fetchCatalogue`, after the snapshots that it names. */
const LEFT_OUT = new Set(['current']);

const CONNECTIONS = 4;
/**
 * Time limit for one query before the pool is open. A migration by another server may take any time: the lock for it is
 * polled.
 */
const PREPARE_MS = 5000;
const LIMITS = { statementMs: 30_000, responseMs: 35_000, lockMs: 10_000 };

/**
 * Connects, creates missing tables, and copies documents and logs.
 *
 * @throws Error stating why the database, or this DATA_DIR with it, cannot be used
 */
export async function openCluster({ url, dataDir, movedTo }: ClusterOptions): Promise<Cluster> {
  makeDataDirectory(dataDir);
  const { id, move } = await prepare(url);
  refuseMoved(move, movedTo);
  await claimCopy(dataDir, id);
  const pool = await openPool(url, CONNECTIONS, LIMITS);
  const copies = createCopies(pool, dataDir, LEFT_OUT);
  const refresh = oneAtATime(() => copies.bringUpToDate());
  const cluster: Cluster = {
    id,
    url,
    dataDir,
    pool,
    refresh,
    unwritten: (name) => copies.unwritten(name),
    close: () => withTimeLimit(CLOSE_TIMEOUT_MS, pool.end()),
  };
  try {
    await refresh();
  } catch (error) {
    await withTimeLimit(CLOSE_TIMEOUT_MS, pool.end());
    throw error;
  }
  return cluster;
}

/**
 * Connects for a move of the installation. DATA_DIR is not a copy of the database, and nothing is copied into it.
 *
 * @throws Error stating why the database cannot be used
 */
export async function openForMoving({ url, dataDir }: ClusterOptions): Promise<Cluster> {
  const { id } = await prepare(url);
  const pool = await openPool(url, CONNECTIONS, LIMITS);
  return {
    id,
    url,
    dataDir,
    pool,
    refresh: async () => {},
    unwritten: () => undefined,
    close: () => withTimeLimit(CLOSE_TIMEOUT_MS, pool.end()),
  };
}

/** @returns the database's id, and the mark of a move into or out of it */
async function prepare(url: string): Promise<{ readonly id: string; readonly move: MoveMark | null }> {
  const refuse = (error: unknown, what: string): never => {
    const { host, pathname } = new URL(url);
    throw new Error(`DATABASE_URL: ${host}${pathname} ${what}: ${connectionFault(error)}`, { cause: error });
  };
  const client = await openClient(url, { responseMs: PREPARE_MS }).catch((error: unknown) =>
    refuse(error, 'cannot be reached'),
  );
  try {
    await refuseTransactionPooling(client, url);
    await migrate(client, 'cluster', CLUSTER_STEPS);
    const { rows } = await client.query<{ id: string }>(
      "select content as id from shared_parts where name = 'installation'",
    );
    return { id: rows[0]!.id, move: await readMoveMark(client) };
  } catch (error) {
    if (isDatabaseUnreachable(error)) refuse(error, 'does not answer');
    throw error;
  } finally {
    await withTimeLimit(CLOSE_TIMEOUT_MS, client.end());
  }
}
