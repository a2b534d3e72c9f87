import { SERVER_LOCKS } from '../../../platform/postgres/locks.js';
import type { PostgresConnection } from './postgres-connection.js';

/** How many other servers have the ledger open. */
export function servedBy(connection: PostgresConnection): number {
  const [found] = connection.send([{ text: SERVERS }], false);
  return Number(found!.rows[0]![0]);
}

const SERVERS = `
  select count(*) from pg_locks where locktype = 'advisory' and classid = ${SERVER_LOCKS} and objsubid = 2 and pid <> pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database())`;

/** The first that no other server has, for as long as the connection lasts. */
export function takeSlot(connection: PostgresConnection): number {
  for (let slot = 1; ; slot++) {
    const text = `select case when pg_try_advisory_lock(${SERVER_LOCKS}, ${slot}) then 1 else 0 end`;
    if (connection.send([{ text }], false)[0]!.rows[0]![0] === 1) return slot;
  }
}
