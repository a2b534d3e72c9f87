import type { Cluster } from './cluster.js';
import { announce, inTransaction, type Transaction } from './transaction.js';

/**
 * Adds lines to a log: a file of the same name in every node's DATA_DIR, to which is only ever added. Each addition knows
 * the byte at which it begins, the same in every copy.
 *
 * @param lines without their newlines
 */
export async function appendToLog(cluster: Cluster, log: string, lines: readonly string[]): Promise<void> {
  await inTransaction(cluster.pool, (transaction) => appendWithin(transaction, log, lines));
  await cluster.refresh().catch(() => undefined);
}

/** The same as a part of a transaction; the copies follow when it holds. */
export async function appendWithin(transaction: Transaction, log: string, lines: readonly string[]): Promise<void> {
  const text = lines.map((line) => `${line}\n`).join('');
  await transaction.query(
    "insert into shared_parts (name, kind, version) values ($1, 'log', 0) on conflict do nothing",
    [log],
  );
  // Locks the row: additions take turns, and readers see them in their order.
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
