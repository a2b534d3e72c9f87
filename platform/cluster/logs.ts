import type { Cluster } from './cluster.js';
import { announce, inTransaction, type Transaction } from './transaction.js';

/**
 * Appends lines to a log: a file that every node has in its DATA_DIR under the same name. Each entry has a byte offset
 * that is the same in every copy.
 *
 * @param lines without their newlines
 */
export async function appendToLog(cluster: Cluster, log: string, lines: readonly string[]): Promise<void> {
  await inTransaction(cluster.pool, (transaction) => appendWithin(transaction, log, lines));
  await cluster.refresh().catch(() => undefined);
}

/** Appends lines within a transaction; the copies follow after its commit. */
export async function appendWithin(transaction: Transaction, log: string, lines: readonly string[]): Promise<void> {
  const text = lines.map((line) => `${line}\n`).join('');
  await transaction.query(
    "insert into shared_parts (name, kind, version) values ($1, 'log', 0) on conflict do nothing",
    [log],
  );
  // Locks the row, so that additions run one at a time and readers see them in order.
  const { rows } = await transaction.query<{ begins_at: string }>(
    'update shared_parts set bytes = bytes + $2 where name = $1 returning bytes - $2 as begins_at',
    [log, Buffer.byteLength(text)],
  );
  await transaction.query('insert into shared_log_entries (log, begins_at, text) values ($1, $2, $3)', [
    log,
    rows[0]!.begins_at,
    text,
  ]);
  await announce(transaction, log);
}
