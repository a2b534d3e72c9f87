import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { SCHEMA } from './connection.js';
import { isConnectionLost } from './connection-lost.js';
import { DatabaseRefusedError } from './database-refused.js';

/** Takes a module's tables one version further. A released step never changes and is never removed. */
export interface MigrationStep {
  /** Unique within the module. */
  readonly name: string;
  /**
   * One or more statements without parameters. They only add, because servers of the previous release keep running
   * beside this one.
   */
  readonly sql: string;
}

/** How long a step waits for a table at a time. Statements of all servers queue behind such a wait, so it is short. */
const TABLE_MS = 500;
const TABLE_RETRY_MS = 1000;
/** Time limit for a step's work, such as building an index, which may take longer than other queries. */
const STEP_MS = 600_000;

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs a step in a transaction of its own, and again while its tables are in use.
 *
 * @param deadline when to give up, by `performance.now()`
 * @throws DatabaseRefusedError when they stay in use
 */
export async function runStepWithRetry(
  client: ClientBase,
  module: string,
  step: MigrationStep,
  deadline: number,
): Promise<void> {
  for (;;) {
    try {
      return await runStep(client, module, step);
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      if (performance.now() + TABLE_RETRY_MS > deadline) {
        throw new DatabaseRefusedError(
          `the database's ${module} tables are in use, by a dump or a long query, and so cannot be brought up to date (step "${step.name}"): start again when it is over, or end it`,
          { cause: error },
        );
      }
    }
    await pause(TABLE_RETRY_MS);
  }
}

/**
 * An automatic vacuum, which may last for hours, gives way to a statement that has waited for `deadlock_timeout`. If a
 * table is locked by one, or by anything with the same lock mode, the wait is longer than that.
 */
const LIMIT_WAITS = `
  select set_config('lock_timeout', (${TABLE_MS} + case when exists (
    select from pg_locks l join pg_class c on c.oid = l.relation
    where l.granted and l.mode = 'ShareUpdateExclusiveLock' and c.relnamespace = '${SCHEMA}'::regnamespace
      and l.database = (select oid from pg_database where datname = current_database()))
    then (select setting::integer from pg_settings where name = 'deadlock_timeout') else 0 end)::text, true)`;

/** A step may take longer than a role's limits for statements allow; `STEP_MS` limits it. The second is PostgreSQL 17's. */
const LIFT_TIMEOUTS = `
  select set_config(name, '0', true) from pg_settings where name in ('statement_timeout', 'transaction_timeout')`;

async function runStep(client: ClientBase, module: string, { name, sql }: MigrationStep): Promise<void> {
  // The types of pg lack some of its per-query options.
  const work = { text: sql, query_timeout: STEP_MS };
  await client.query('begin');
  try {
    await client.query(LIMIT_WAITS);
    await client.query(LIFT_TIMEOUTS);
    await client.query(work);
    await client.query(
      `insert into ${SCHEMA}.migrations (room, name, position)
       select $1, $2, count(*) from ${SCHEMA}.migrations where room = $1`,
      [module, name],
    );
    await client.query('commit');
  } catch (error) {
    if (!isConnectionLost(error)) await client.query('rollback');
    throw error;
  }
}
