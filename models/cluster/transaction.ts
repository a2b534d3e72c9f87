import type pg from 'pg';

/** A connection within a transaction: what is done by it holds together or not at all. */
export type Transaction = pg.PoolClient;

/** Does something in one transaction, undone when it throws. @throws whatever `work` throws, or Error of the database */
export async function inTransaction<R>(pool: pg.Pool, work: (transaction: Transaction) => Promise<R>): Promise<R> {
  const client = await pool.connect();
  let broken: Error | undefined;
  let lost: Error | undefined;
  // The next statement fails by it; without a listener it would end the process.
  const onLost = (error: Error): void => void (lost ??= error);
  client.on('error', onLost);
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((fault: Error) => (broken = fault));
    throw lost ?? error;
  } finally {
    client.off('error', onLost);
    client.release(lost ?? broken);
  }
}

/** What nodes listen to. */
export const CHANNEL = 'adjacent';

/** Tells all nodes, once the transaction holds, that a part has changed. */
export async function announce(transaction: Transaction, part: string): Promise<void> {
  await transaction.query('update shared_parts set version = version + 1 where name = $1', [part]);
  await transaction.query('select pg_notify($1, $2)', [CHANNEL, part]);
}
