import { SERVER_LOCKS } from '../../../platform/postgres/locks.js';
import type { PostgresConnection } from './postgres-connection.js';
import { tryLock } from './session-lock.js';

/** Returns how many other servers have the ledger open. */
export function countOtherServers(connection: PostgresConnection): number {
  const [found] = connection.send([{ text: SERVERS }], false);
  return Number(found!.rows[0]![0]);
}

const SERVERS = `
  select count(*) from pg_locks where locktype = 'advisory' and classid = ${SERVER_LOCKS} and objsubid = 2 and pid <> pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database())`;

/** Takes the first slot that no other server has, and holds it for as long as the connection lasts. */
export function takeSlot(connection: PostgresConnection): number {
  for (let slot = 1; ; slot++) {
    if (tryLock(connection, SERVER_LOCKS, slot)) return slot;
  }
}
