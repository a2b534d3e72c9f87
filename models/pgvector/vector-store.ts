import type pg from 'pg';
import { CLOSE_TIMEOUT_MS, withTimeLimit } from '../../platform/cluster/with-time-limit.js';
import type { CatalogueSearch } from '../index/catalogue-search.js';
import { openStoredRows } from '../index/stored-rows.js';
import { openClient, openPool } from '../../platform/postgres/connection.js';
import { migrate } from '../../platform/postgres/migrate.js';
import { type Pgvector, requirePgvector } from './extension.js';
import { MAX_SCANNED, PgvectorSearch, SEARCH_WIDTH } from './pgvector-search.js';
import { createQueryRunner, type QueryRunnerOptions } from './query-runner.js';
import { VECTOR_STEPS } from './schema.js';
import { type VectorPart, writeVectorTable } from './vector-table.js';

/** Store of snapshots' vectors in PostgreSQL. */
export interface VectorStore {
  readonly pgvector: Pgvector;
  /**
   * Opens the search of a part. Writes its table first if no node has done so, which may take minutes for a large
   * catalogue.
   *
   * @throws Error from the database or the disk
   */
  open(part: VectorPart): Promise<CatalogueSearch>;
  /** Closes all connections, which aborts tables being written. Waits a second at most. */
  close(): Promise<void>;
}

export interface VectorStoreOptions {
  /** As in `DATABASE_URL`. */
  readonly url: string;
  readonly log: QueryRunnerOptions['log'];
  /** Capabilities to leave unused although pgvector has them. */
  readonly without?: Partial<Pick<Pgvector, 'halfPrecision' | 'iterative'>>;
}

/** A node runs some fifty queries a second of a few milliseconds each; narrow filters take longer. */
const CONNECTIONS = 4;
/** Max waits of a match, for a connection (`connectMs`) and for a result. */
const LIMITS = { connectMs: 1000, statementMs: 1500, responseMs: 2000, lockMs: 500 };
const PREPARE = { responseMs: 5000 };

/**
 * Connects, and creates the extension and the list of tables if they do not exist.
 *
 * @throws NoVectorsError if the database cannot search vectors
 * @throws Error if it cannot be used at all
 */
export async function openVectorStore({ url, log, without = {} }: VectorStoreOptions): Promise<VectorStore> {
  const pgvector = { ...(await prepare(url)), ...without };
  const pool = await openPool(url, CONNECTIONS, { ...LIMITS, settings: searchSettings(pgvector) });
  const queries = createQueryRunner({ pool, log });
  const writing = new Set<pg.Client>();
  let closed = false;
  return {
    pgvector,
    async open(part) {
      const client = await openClient(url);
      writing.add(client);
      try {
        if (closed) throw new Error('the server is shutting down');
        // Makes the database stop writing for a node that is gone. Not every operating system supports this.
        await client.query("set client_connection_check_interval = '1s'").catch(() => undefined);
        await writeVectorTable(client, pgvector, part);
      } finally {
        writing.delete(client);
        await withTimeLimit(CLOSE_TIMEOUT_MS, client.end());
      }
      return new PgvectorSearch({ queries, pgvector, part, stored: await openStoredRows(part.file, part.dims) });
    },
    async close() {
      closed = true;
      await withTimeLimit(
        CLOSE_TIMEOUT_MS,
        Promise.all([pool.end(), ...Array.from(writing, (client) => client.end())]),
      );
    },
  };
}

async function prepare(url: string): Promise<Pgvector> {
  const client = await openClient(url, PREPARE);
  try {
    const pgvector = await requirePgvector(client);
    await migrate(client, 'vectors', VECTOR_STEPS);
    return pgvector;
  } finally {
    await withTimeLimit(CLOSE_TIMEOUT_MS, client.end());
  }
}

function searchSettings({ iterative }: Pgvector): Readonly<Record<string, string | number>> {
  return {
    'hnsw.ef_search': SEARCH_WIDTH,
    ...(iterative ? { 'hnsw.iterative_scan': 'relaxed_order', 'hnsw.max_scan_tuples': MAX_SCANNED } : {}),
    // A full scan is never intended, and JIT compilation takes longer than a search.
    enable_seqscan: 'off',
    jit: 'off',
  };
}
