import type pg from 'pg';
import { END_MS, noLongerThan } from '../../platform/cluster/no-longer-than.js';
import type { CatalogueSearch } from '../index/catalogue-search.js';
import { openStoredRows } from '../index/stored-rows.js';
import { openClient, openPool } from '../../platform/postgres/connection.js';
import { migrate } from '../../platform/postgres/migrate.js';
import { type Pgvector, requirePgvector } from './extension.js';
import { MOST_SCANNED, PgvectorSearch, SEARCH_WIDTH } from './pgvector-search.js';
import { createQuestions, type QuestionsOptions } from './questions.js';
import { VECTOR_STEPS } from './schema.js';
import { type VectorPart, writeVectorTable } from './vector-table.js';

/** The vectors of snapshots in PostgreSQL. */
export interface VectorStore {
  readonly pgvector: Pgvector;
  /**
   * The search of a part, whose table is written first where no node has. May take minutes for a large catalogue.
   *
   * @throws Error of the database or the disk
   */
  open(part: VectorPart): Promise<CatalogueSearch>;
  /** Ends its connections, and with them what is being written; waits a second at most. */
  close(): Promise<void>;
}

export interface VectorStoreOptions {
  /** As in `DATABASE_URL`. */
  readonly url: string;
  readonly log: QuestionsOptions['log'];
  /** What of pgvector is not to be used although it is there. */
  readonly without?: Partial<Pick<Pgvector, 'halves' | 'iterative'>>;
}

/** A node asks some fifty times a second, for a few milliseconds each; narrow filters take longer. */
const CONNECTIONS = 4;
/** A match waits no longer, for a connection (`connectMs`) and for an answer. */
const LIMITS = { connectMs: 1000, statementMs: 1500, answerMs: 2000, lockMs: 500 };
const PREPARE = { answerMs: 5000 };
/** To write a table may take an hour, whatever a role's statements are limited to. */
const UNLIMITED = { settings: { statement_timeout: 0, lock_timeout: 0 } };

/**
 * Connects, and makes the extension and the list of tables where there are none.
 *
 * @throws NoVectorsError where the database cannot search vectors; Error when it cannot be used at all
 */
export async function openVectorStore({ url, log, without = {} }: VectorStoreOptions): Promise<VectorStore> {
  const pgvector = { ...(await prepare(url)), ...without };
  const pool = openPool(url, CONNECTIONS, { ...LIMITS, settings: searchSettings(pgvector) });
  const questions = createQuestions({ pool, log });
  const writing = new Set<pg.Client>();
  let closed = false;
  return {
    pgvector,
    async open(part) {
      const client = await openClient(url, UNLIMITED);
      writing.add(client);
      try {
        if (closed) throw new Error('the server is ending');
        // What is written for nobody any more ends; not every operating system can tell.
        await client.query("set client_connection_check_interval = '1s'").catch(() => undefined);
        await writeVectorTable(client, pgvector, part);
      } finally {
        writing.delete(client);
        await noLongerThan(END_MS, client.end());
      }
      return new PgvectorSearch({ questions, pgvector, part, stored: await openStoredRows(part.file, part.dims) });
    },
    async close() {
      closed = true;
      await noLongerThan(END_MS, Promise.all([pool.end(), ...Array.from(writing, (client) => client.end())]));
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
    await noLongerThan(END_MS, client.end());
  }
}

function searchSettings({ iterative }: Pgvector): Readonly<Record<string, string | number>> {
  return {
    'hnsw.ef_search': SEARCH_WIDTH,
    ...(iterative ? { 'hnsw.iterative_scan': 'relaxed_order', 'hnsw.max_scan_tuples': MOST_SCANNED } : {}),
    // A scan of everything is never meant, and compiling takes longer than searching.
    enable_seqscan: 'off',
    jit: 'off',
  };
}
