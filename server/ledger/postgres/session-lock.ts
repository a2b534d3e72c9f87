import type { PostgresConnection } from './postgres-connection.js';

/**
 * Tries to take an advisory lock without waiting. The connection holds the lock until it ends, so a server that dies
 * frees it. PostgreSQL counts how often a connection takes a lock: call this until it succeeds, and not again.
 *
 * @returns false while another connection holds it
 */
export function tryLock(connection: PostgresConnection, first: number, second: number): boolean {
  const text = `select case when pg_try_advisory_lock(${first}, ${second}) then 1 else 0 end`;
  return connection.send([{ text }], false)[0]!.rows[0]![0] === 1;
}
