import { sql } from '#kysely';
import { openFileForWriting } from '../sqlite/sqlite-file.js';
import { LedgerRefusedError, type LedgerDatabase } from '../tables/ledger-database.js';
import {
  connectPostgres,
  PostgresError,
  type PostgresConnection,
  type PostgresOptions,
} from './postgres-connection.js';
import { postgresDatabase } from './postgres-database.js';

/**
 * Opens the ledger for writing.
 *
 * @throws LedgerRefusedError for tables of a newer release, and when there is no connection
 */
export function openPostgresForWriting(
  url: string,
  busyTimeoutMs: number,
  responseMs?: number,
  reopened = false,
): LedgerDatabase {
  const limits = { lockMs: Math.max(1, busyTimeoutMs), silentMs: SILENT_MS };
  const connection = connect({ url, limits, writes: true, reopened, responseMs });
  const database = postgresDatabase(connection, false);
  // With `off`, PostgreSQL acknowledges commits that are not on the disk yet: this connection overrides it.
  const [{ setting } = { setting: 'on' }] = database.run(
    sql<{ setting: string }>`select current_setting('synchronous_commit') as setting`,
  );
  if (setting === 'off') database.run(sql`set synchronous_commit = on`);
  return database;
}

/**
 * A writer computes little between a transaction's statements. One silent for so long is considered dead, since others
 * wait for it.
 */
const SILENT_MS = 5000;

/**
 * Opens the ledger for reading, possibly in a replica.
 *
 * @throws LedgerRefusedError for tables of another release, and when there is no connection
 */
export function openPostgresForReading(url: string, byServer = false): LedgerDatabase {
  const bounds = byServer ? { statementMs: REPORT_MS } : {};
  const responseMs = byServer ? REPORT_MS + 10_000 : undefined;
  // A server has opened the ledger for writing before it gets a request for a report.
  const connection = connect({
    url,
    limits: { lockMs: 5000, ...bounds },
    writes: false,
    reopened: byServer,
    responseMs,
  });
  if (connection.hasTables) return postgresDatabase(connection, true);
  connection.close();
  // An empty ledger would be reported from then on. With an error, the next request connects again.
  if (byServer)
    throw new LedgerRefusedError(
      'the database of reports has no ledger: REPORTS_DATABASE_URL must be the ledger’s database or a replica of it',
    );
  const empty = openFileForWriting(':memory:', 0);
  empty.file.defaultSafeIntegers(true);
  return empty;
}

/** Time limit of one statement of a server's report. */
const REPORT_MS = 120_000;

function connect(options: PostgresOptions): PostgresConnection {
  try {
    return connectPostgres(options);
  } catch (error) {
    if (!(error instanceof PostgresError)) throw error;
    throw new LedgerRefusedError(`the ledger in PostgreSQL cannot be opened: ${error.message}`, { cause: error });
  }
}
