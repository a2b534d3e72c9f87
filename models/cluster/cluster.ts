import type pg from 'pg';
import { makeDirectory } from '../files/data-directory.js';
import { openClient, openPool } from '../postgres/connection.js';
import { migrate } from '../postgres/migrate.js';
import { createCopies } from './copies.js';
import { claimCopy } from './copy-mark.js';
import { END_MS, noLongerThan } from './no-longer-than.js';
import { oneAtATime } from './one-at-a-time.js';
import { CLUSTER_STEPS } from './schema.js';

/**
 * What the nodes of an installation share, in the database of `DATABASE_URL`. Each has copies in its DATA_DIR, in the files
 * that an installation without a database has: these are read, and the database alone is written.
 */
export interface Cluster {
  /** The database's own, made with its tables. */
  readonly id: string;
  readonly url: string;
  readonly dataDir: string;
  readonly pool: pg.Pool;
  /** Brings this node's copies of documents and logs up to date. @throws Error when the database does not answer */
  refresh(): Promise<void>;
  /** Ends its connections; waits a second at most. */
  close(): Promise<void>;
}

export interface ClusterOptions {
  /** As in `DATABASE_URL`. */
  readonly url: string;
  readonly dataDir: string;
}

/** Names snapshots, and so is copied when they are there: by `fetchCatalogue`. */
const LEFT_OUT = new Set(['current']);

const CONNECTIONS = 4;
const LIMITS = { statementMs: 30_000, answerMs: 35_000, lockMs: 10_000 };

/**
 * Connects, makes the tables where there are none, and copies documents and logs.
 *
 * @throws Error that says why the database, or this DATA_DIR with it, cannot be used
 */
export async function openCluster({ url, dataDir }: ClusterOptions): Promise<Cluster> {
  makeDirectory(dataDir);
  const id = await prepare(url);
  await claimCopy(dataDir, id);
  const pool = openPool(url, CONNECTIONS, LIMITS);
  const copies = createCopies(pool, dataDir, LEFT_OUT);
  const refresh = oneAtATime(() => copies.bringUpToDate());
  const cluster: Cluster = { id, url, dataDir, pool, refresh, close: () => noLongerThan(END_MS, pool.end()) };
  try {
    await refresh();
  } catch (error) {
    await pool.end();
    throw error;
  }
  return cluster;
}

/** @returns the database's id */
async function prepare(url: string): Promise<string> {
  const client = await openClient(url).catch((error: unknown) => {
    const { host, pathname } = new URL(url);
    throw new Error(`DATABASE_URL: ${host}${pathname} cannot be reached: ${databaseFault(error)}`, { cause: error });
  });
  try {
    await migrate(client, 'cluster', CLUSTER_STEPS);
    const { rows } = await client.query<{ id: string }>(
      "select content as id from shared_parts where name = 'installation'",
    );
    return rows[0]!.id;
  } finally {
    await client.end();
  }
}

/** In words: an address that refuses on several interfaces has no message of its own. */
export function databaseFault(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}
