import type pg from 'pg';
import { isDatabaseAway, isOfReader } from './database-away.js';

/** A connection within a transaction: what is done by it holds together or not at all. */
export type Transaction = pg.PoolClient;

/** The database was lost before it said whether a transaction holds. */
export class UnknownOutcomeError extends Error {
  constructor(cause: unknown) {
    super('the database was lost before it answered: the change may have been made; look before you repeat it', {
      cause,
    });
    this.name = 'UnknownOutcomeError';
  }
}

/**
 * Does something in one transaction, undone when it throws.
 *
 * @throws whatever `work` throws, or Error of the database; UnknownOutcomeError when it may hold all the same
 */
export async function inTransaction<R>(pool: pg.Pool, work: (transaction: Transaction) => Promise<R>): Promise<R> {
  const client = await pool.connect();
  let committing = false;
  let broken: Error | undefined;
  let lost: Error | undefined;
  // The next statement fails by it; without a listener it would end the process.
  const onLost = (error: Error): void => void (lost ??= error);
  client.on('error', onLost);
  try {
    // Each statement sees what was committed before it, after it has waited for a lock too, whatever the database's default.
    await client.query('begin isolation level read committed');
    const result = await work(client);
    // A connection that was lost before now has committed nothing.
    if (lost !== undefined) throw lost;
    committing = true;
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((fault: Error) => (broken = fault));
    if (isOfReader(error)) broken ??= error as Error;
    const fault = lost ?? error;
    throw committing && isDatabaseAway(fault) ? new UnknownOutcomeError(fault) : fault;
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
