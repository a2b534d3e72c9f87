import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { SCHEMA } from './connection.js';
import { isConnectionLost } from './connection-lost.js';
import { DatabaseRefusedError } from './database-refused.js';
import { ADJACENT_LOCKS, LOCKS } from './locks.js';
import { type MigrationStep, runStepWithRetry } from './migration-step.js';

const OLDEST = 14;
/** How long a step is retried: less than a server waits for its ledger at its start, so that the reason is reported. */
const WITHIN_MS = 100_000;
const LOCK_RETRY_MS = 250;

export interface MigrateOptions {
  /** This process has used the tables before, and may continue beside servers of the next release. */
  readonly reopened?: boolean;
  /** How long to retry a step whose tables are in use, in milliseconds. */
  readonly withinMs?: number;
}

/**
 * Brings a module's tables up to date: runs each missing step, in order, in a transaction of its own. Of several
 * servers that start at once, one does it and the others wait. Tables of other modules that a step needs must exist.
 *
 * @param module the module whose steps these are, such as `ledger`; each module has a separate list of steps
 * @throws DatabaseRefusedError for a PostgreSQL before 14, an encoding other than UTF8, tables of a newer release, and
 *   tables that stay in use for too long, for example by a dump
 */
export async function migrate(
  client: ClientBase,
  module: string,
  steps: readonly MigrationStep[],
  { reopened = false, withinMs = WITHIN_MS }: MigrateOptions = {},
): Promise<void> {
  await refuseUnfit(client);
  const isUpToDate = (applied: readonly string[]): boolean => {
    if (!reopened) refuseNewer(module, steps, applied);
    return applied.length >= steps.length;
  };
  // Checks before taking the lock: a process with nothing to do does not wait for one that migrates.
  if (isUpToDate(await appliedSteps(client, module))) return;
  await detectLostClient(client);
  const began = performance.now();
  await acquireMigrationLock(client);
  const releaseMigrationLock = (): Promise<unknown> =>
    client.query('select pg_advisory_unlock($1, $2)', MIGRATION_LOCK);
  try {
    await makeSchema(client);
    const applied = await appliedSteps(client, module);
    if (!isUpToDate(applied)) {
      for (const step of steps.slice(applied.length)) await runStepWithRetry(client, module, step, began + withinMs);
    }
  } catch (error) {
    if (!isLost(error)) await releaseMigrationLock();
    throw error;
  }
  await releaseMigrationLock();
}

/**
 * Returns whether the connection is unusable. DatabaseRefusedError, which this process itself throws, says nothing
 * about the connection.
 */
function isLost(error: unknown): boolean {
  return !(error instanceof DatabaseRefusedError) && isConnectionLost(error);
}

/**
 * Returns whether a module's tables exist, for a read-only connection.
 *
 * @param options reopened: as for `migrate`
 * @throws DatabaseRefusedError for tables of another release
 */
export async function hasTables(
  client: ClientBase,
  module: string,
  steps: readonly MigrationStep[],
  { reopened = false }: Pick<MigrateOptions, 'reopened'> = {},
): Promise<boolean> {
  await refuseUnfit(client);
  const applied = await appliedSteps(client, module);
  if (applied.length === 0) return false;
  refuseNewer(module, steps, reopened ? applied.slice(0, steps.length) : applied);
  if (applied.length >= steps.length) return true;
  throw new DatabaseRefusedError(
    `the database's ${module} tables are of an older release: start a server of this one, which brings them up to date`,
  );
}

/**
 * Refuses unsuitable servers. A database with another encoding would store names until the first that it cannot
 * represent.
 */
async function refuseUnfit(client: ClientBase): Promise<void> {
  const settings = ['server_version_num', 'server_version', 'server_encoding'];
  const { rows } = await client.query<Record<string, string>>(
    `select ${settings.map((name) => `current_setting('${name}') as ${name}`).join()}`,
  );
  const { server_version_num: number, server_version: version, server_encoding: encoding } = rows[0]!;
  if (Number(number) < OLDEST * 10_000) {
    throw new DatabaseRefusedError(`DATABASE_URL leads to PostgreSQL ${version}; Adjacent needs ${OLDEST} or later`);
  }
  if (encoding === 'UTF8') return;
  throw new DatabaseRefusedError(
    `the database's encoding is ${encoding}, which cannot hold every name: make one with "create database … encoding 'UTF8' template template0"`,
  );
}

/**
 * Checks for the schema before creating it: the servers' database user may own the schema without the right to create
 * one.
 */
async function makeSchema(client: ClientBase): Promise<void> {
  if (await hasMigrationsTable(client)) return;
  const { rows: schemas } = await client.query(`select 1 from pg_namespace where nspname = '${SCHEMA}'`);
  if (schemas.length === 0) await client.query(`create schema ${SCHEMA}`);
  await client.query(
    `create table ${SCHEMA}.migrations (
       room text not null, name text not null, position integer not null, taken_at timestamptz not null default now(),
       primary key (room, name)
     )`,
  );
}

async function hasMigrationsTable(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(`select 1 where to_regclass('${SCHEMA}.migrations') is not null`);
  return rows.length > 0;
}

async function appliedSteps(client: ClientBase, module: string): Promise<string[]> {
  if (!(await hasMigrationsTable(client))) return [];
  const { rows } = await client.query<{ name: string }>(
    `select name from ${SCHEMA}.migrations where room = $1 order by position`,
    [module],
  );
  return rows.map(({ name }) => name);
}

function refuseNewer(module: string, steps: readonly MigrationStep[], applied: readonly string[]): void {
  const unknown = applied.find((name, position) => steps[position]?.name !== name);
  if (unknown === undefined) return;
  throw new DatabaseRefusedError(
    `the database's ${module} tables are of a newer release (its step "${unknown}" is not known): run the release that made them, or a newer one`,
  );
}

const MIGRATION_LOCK = [ADJACENT_LOCKS, LOCKS.migration];

/** Polls for the lock: a wait within a statement gives no sign of whether the database is still there. */
async function acquireMigrationLock(client: ClientBase): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1, $2) as taken',
      MIGRATION_LOCK,
    );
    if (rows[0]!.taken) return;
    await pause(LOCK_RETRY_MS);
  }
}

/**
 * Makes the server end a statement of this connection whose client is gone. Not every operating system supports this.
 */
async function detectLostClient(client: ClientBase): Promise<void> {
  try {
    await client.query("set client_connection_check_interval = '1s'");
  } catch (error) {
    if ((error as { code?: string }).code !== INVALID_VALUE) throw error;
  }
}

const INVALID_VALUE = '22023';
