import type pg from 'pg';
import { isDatabaseUnreachable, isReadOnlyError } from './database-unreachable.js';

/** A connection within a transaction: its statements take effect together or not at all. */
export type Transaction = pg.PoolClient;

/** The connection was lost before the database confirmed or rejected a commit. */
export class UnknownOutcomeError extends Error {
  constructor(cause: unknown) {
    super('the database was lost before it answered: the change may have been made; look before you repeat it', {
      cause,
    });
    this.name = 'UnknownOutcomeError';
  }
}

/**
 * Runs `work` in a transaction and rolls back if it throws.
 *
 * @throws whatever `work` throws, or a database error; UnknownOutcomeError when the transaction may have been committed
 */
export async function inTransaction<R>(pool: pg.Pool, work: (transaction: Transaction) => Promise<R>): Promise<R> {
  const client = await pool.connect();
  let committing = false;
  let broken: Error | undefined;
  let lost: Error | undefined;
  // The next statement fails with this error; without a listener, the event would end the process.
  const onLost = (error: Error): void => void (lost ??= error);
  client.on('error', onLost);
  try {
    // Whatever the database's default: each statement must see what was committed before it, including commits made
    // while it waited for a lock.
    await client.query('begin isolation level read committed');
    const result = await work(client);
    // A connection lost before this point has committed nothing.
    if (lost !== undefined) throw lost;
    committing = true;
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((fault: Error) => (broken = fault));
    if (isReadOnlyError(error)) broken ??= error as Error;
    const fault = lost ?? error;
    throw committing && isDatabaseUnreachable(fault) ? new UnknownOutcomeError(fault) : fault;
  } finally {
    client.off('error', onLost);
    client.release(lost ?? broken);
  }
}

/** The channel on which nodes listen. */
export const CHANNEL = 'adjacent';

/** Increments a part's version and notifies all nodes when the transaction commits. */
export async function announce(transaction: Transaction, part: string): Promise<void> {
  await transaction.query('update shared_parts set version = version + 1 where name = $1', [part]);
  await transaction.query('select pg_notify($1, $2)', [CHANNEL, part]);
}
