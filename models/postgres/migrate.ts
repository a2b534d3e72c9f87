import type { ClientBase } from 'pg';
import { SCHEMA } from './connection.js';
import { ADJACENT_LOCKS, LOCKS } from './locks.js';

/** Takes a room's tables one version further. A step that was released never changes, and none is taken out. */
export interface MigrationStep {
  /** Unique among the room's. */
  readonly name: string;
  /** One or several statements without parameters. They add: servers of the release before go on beside them. */
  readonly sql: string;
}

/** The database cannot serve this release; the message says why and what to do. */
export class DatabaseRefusedError extends Error {
  override readonly name = 'DatabaseRefusedError';
}

const OLDEST = 14;

/**
 * Brings a room's tables up to date: each step that was not taken yet, in order, in a transaction of its own. Of several
 * servers that start at once one does it, and the others wait. What a step needs of another room must be there.
 *
 * @param room whose steps these are, such as `ledger`; rooms do not see each other's
 * @param options reopened: this process has had the database open, and goes on beside servers of the next release
 * @throws DatabaseRefusedError for a PostgreSQL before 14, an encoding other than UTF8, and tables of a newer release
 */
export async function migrate(
  client: ClientBase,
  room: string,
  steps: readonly MigrationStep[],
  { reopened = false } = {},
): Promise<void> {
  await refuseUnfit(client);
  // A step that another server takes may last longer than other locks are waited for.
  const { rows } = await client.query<{ lock_timeout: string }>('show lock_timeout');
  await client.query('set lock_timeout = 0');
  const lock = [ADJACENT_LOCKS, LOCKS.migration];
  await client.query('select pg_advisory_lock($1, $2)', lock);
  try {
    await makeSchema(client);
    const taken = await stepsTaken(client, room);
    if (!reopened) refuseNewer(room, steps, taken);
    for (const step of steps.slice(taken.length)) await take(client, room, step);
  } finally {
    await client.query('select pg_advisory_unlock($1, $2)', lock);
    await client.query("select set_config('lock_timeout', $1, false)", [rows[0]!.lock_timeout]);
  }
}

/**
 * Whether a room's tables are there, for a connection that only reads.
 *
 * @throws DatabaseRefusedError for tables of another release
 */
export async function hasTables(client: ClientBase, room: string, steps: readonly MigrationStep[]): Promise<boolean> {
  await refuseUnfit(client);
  const { rows } = await client.query(`select 1 where to_regclass('${SCHEMA}.migrations') is not null`);
  const taken = rows.length === 0 ? [] : await stepsTaken(client, room);
  if (taken.length === 0) return false;
  refuseNewer(room, steps, taken);
  if (taken.length === steps.length) return true;
  throw new DatabaseRefusedError(
    `the database's ${room} tables are of an older release: start a server of this one, which brings them up to date`,
  );
}

/** Of another encoding, a database would take names until the first that it cannot hold. */
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

/** Looked for first: whoever runs the servers may own the schema without being allowed to make one. */
async function makeSchema(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ is_there: boolean }>(
    `select to_regclass('${SCHEMA}.migrations') is not null as is_there`,
  );
  if (rows[0]!.is_there) return;
  const { rows: schemas } = await client.query(`select 1 from pg_namespace where nspname = '${SCHEMA}'`);
  if (schemas.length === 0) await client.query(`create schema ${SCHEMA}`);
  await client.query(
    `create table ${SCHEMA}.migrations (
       room text not null, name text not null, position integer not null, taken_at timestamptz not null default now(),
       primary key (room, name)
     )`,
  );
}

async function stepsTaken(client: ClientBase, room: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from ${SCHEMA}.migrations where room = $1 order by position`,
    [room],
  );
  return rows.map(({ name }) => name);
}

function refuseNewer(room: string, steps: readonly MigrationStep[], taken: readonly string[]): void {
  const unknown = taken.find((name, position) => steps[position]?.name !== name);
  if (unknown === undefined) return;
  throw new DatabaseRefusedError(
    `the database's ${room} tables are of a newer release (its step "${unknown}" is not known): run the release that made them, or a newer one`,
  );
}

async function take(client: ClientBase, room: string, { name, sql }: MigrationStep): Promise<void> {
  await client.query('begin');
  try {
    await client.query(sql);
    await client.query(
      `insert into ${SCHEMA}.migrations (room, name, position)
       select $1, $2, count(*) from ${SCHEMA}.migrations where room = $1`,
      [room, name],
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
