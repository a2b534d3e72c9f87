import type { Cluster } from './cluster.js';
import { announce, inTransaction, type Transaction } from './transaction.js';

/** What a change makes of a document, and what it hands back. */
export interface Changed<R> {
  /** The same text: nothing is written. */
  readonly text: string | null;
  readonly result: R;
}

/**
 * Changes a document: a text that every node has in its DATA_DIR under the document's name. Changes take turns, and what
 * `change` does within the transaction holds or fails with it.
 *
 * @param change is given the text as it is now; null: there is none yet
 * @throws whatever `change` throws, or Error of the database; nothing has changed then
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
  // Also where another node was faster, and there was nothing to change: whoever reads the copy next finds what was seen.
  // It holds, whether or not this node's copy can be written now: the next look tries again.
  await cluster.refresh().catch(() => undefined);
  return result;
}

/** Puts a text in the place of a document. */
export async function replaceDocument(cluster: Cluster, name: string, text: string): Promise<void> {
  await changeDocument(cluster, name, async () => ({ text, result: undefined }));
}

/** A document, made where there is none: by the first of all nodes alone. */
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

/** A document as the database has it now; null: there is none. */
export async function readDocument({ pool }: Pick<Cluster, 'pool'>, name: string): Promise<string | null> {
  const { rows } = await pool.query<{ content: string | null }>('select content from shared_parts where name = $1', [
    name,
  ]);
  return rows[0]?.content ?? null;
}
