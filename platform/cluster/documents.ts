import type { Cluster } from './cluster.js';
import { announce, inTransaction, type Transaction } from './transaction.js';

/** The result of a change to a document. */
export interface Changed<R> {
  /** The new content. If it equals the old content, nothing is written. */
  readonly text: string | null;
  readonly result: R;
}

/**
 * Changes a document: a text that every node has in its DATA_DIR under the document's name. Changes run one at a time,
 * and whatever `change` does within the transaction is committed or rolled back with it.
 *
 * @param change receives the current text; null if there is none yet
 * @throws whatever `change` throws, or a database error; nothing has changed then
 */
export async function changeDocument<R>(
  cluster: Cluster,
  name: string,
  change: (text: string | null, transaction: Transaction) => Promise<Changed<R>>,
): Promise<R> {
  const result = await inTransaction(cluster.pool, async (transaction) => {
    await transaction.query(
      "insert into shared_parts (name, kind, version) values ($1, 'document', 0) on conflict do nothing",
      [name],
    );
    const { rows } = await transaction.query<{ content: string | null }>(
      'select content from shared_parts where name = $1 for update',
      [name],
    );
    const before = rows[0]!.content;
    const made = await change(before, transaction);
    if (made.text === before) return made.result;
    await transaction.query('update shared_parts set content = $2 where name = $1', [name, made.text]);
    await announce(transaction, name);
    return made.result;
  });
  // Refreshes even if nothing was written, so that the next read of the copy returns at least the content seen here. A
  // failure to write the copy is ignored because the change is committed; the next refresh tries again.
  await cluster.refresh().catch(() => undefined);
  return result;
}

/** Replaces a document's content. */
export async function replaceDocument(cluster: Cluster, name: string, text: string): Promise<void> {
  await changeDocument(cluster, name, async () => ({ text, result: undefined }));
}

/** Returns a document, and creates it if there is none. Of all nodes, only the first creates it. */
export async function getOrCreateDocument(
  cluster: Cluster,
  name: string,
  make: () => string,
): Promise<{ readonly text: string; readonly made: boolean }> {
  return changeDocument(cluster, name, async (known) => {
    const text = known ?? make();
    return { text, result: { text, made: known === null } };
  });
}

/** Reads a document from the database; null if there is none. */
export async function readDocument({ pool }: Pick<Cluster, 'pool'>, name: string): Promise<string | null> {
  const { rows } = await pool.query<{ content: string | null }>('select content from shared_parts where name = $1', [
    name,
  ]);
  return rows[0]?.content ?? null;
}
