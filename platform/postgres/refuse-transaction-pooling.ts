import type { Client } from 'pg';
import { openClient } from './connection.js';
import { DatabaseRefusedError } from './database-refused.js';

/** For a second connection, in milliseconds. A pool by session that is full does not answer it. */
const SECOND_MS = 2000;
/** A pool may hand out its idle connections in turn, and other clients use them meanwhile. */
const LOOKS = 5;

/**
 * Refuses a pooler that lends its connections for one transaction at a time. Advisory locks, settings and prepared
 * statements would then be other clients' too: nodes would take the same slot, two processes could publish at once, and
 * commits could be acknowledged before they are on the disk.
 *
 * Costs one query if the connection is direct. Behind a pooler, it opens a second connection: only a pooler by
 * transaction gives both the same backend, or gives one of them several.
 *
 * @throws DatabaseRefusedError
 */
export async function refuseTransactionPooling(client: Client, url: string): Promise<void> {
  const first = await backendOf(client);
  // A pooler announces a process number of its own.
  if (first === (client as Client & { readonly processID: number | null }).processID) return;
  const other = await openClient(url, { connectMs: SECOND_MS, responseMs: SECOND_MS }).catch(() => null);
  if (other === null) return;
  try {
    const own = new Set([first]);
    const others = new Set<number>();
    for (let look = 0; look < LOOKS; look++) {
      others.add(await backendOf(other));
      own.add(await backendOf(client));
    }
    if (own.size === 1 && others.size === 1 && !others.has(first)) return;
  } finally {
    void other.end().catch(() => {});
  }
  const { host, pathname } = new URL(url);
  throw new DatabaseRefusedError(
    `${host}${pathname} is behind a pooler that changes connections between transactions, which Adjacent cannot use: ` +
      'let it pool by session (PgBouncer: pool_mode = session), or connect directly',
  );
}

async function backendOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}
