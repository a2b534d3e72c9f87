import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { CLOSE_TIMEOUT_MS, withTimeLimit } from '../../platform/cluster/with-time-limit.js';
import { makeDataDirectory } from '../../platform/files/data-directory.js';
import { lockFile } from '../../platform/files/file-lock.js';
import { openClient } from '../../platform/postgres/connection.js';
import { ADJACENT_LOCKS, LOCKS } from '../../platform/postgres/locks.js';
import { fetchCatalogue } from './fetch-catalogue.js';

/** A lock whose holder has given no sign of life for this long counts as abandoned. */
const STALE_MS = 10_000;
const RETRY_MS = 250;
/**
 * Time limit for one query: the database reports at once whether another node has the lock, however long it keeps it.
 */
const ANSWER_MS = 5000;

/** The right to write snapshots, the pointer, images and landing URLs. One process has it at a time. */
export interface CatalogueLock {
  /**
   * Checks that this process still has the lock.
   *
   * @throws Error when another process took the lock over because this one stalled for too long
   */
  assertHeld(): void;
  release(): Promise<void>;
}

/**
 * Takes the catalogue lock and waits for as long as another process has it. The lock of a killed process is taken over
 * after 10 s. Where several nodes share a database, one process of all nodes has the lock, and its DATA_DIR then has
 * everything that the other nodes have published.
 *
 * @param onWait called once if the lock is not free
 * @throws Error when the directory cannot be made, or the database does not respond
 */
export async function lockCatalogue(
  dataDir: string,
  onWait: () => void,
  cluster: Cluster | null = null,
): Promise<CatalogueLock> {
  makeDataDirectory(dataDir);
  const here = await lockHere(dataDir, onWait);
  if (cluster === null) return here;
  try {
    const everywhere = await lockNodes(cluster, onWait);
    try {
      await fetchCatalogue(cluster);
    } catch (error) {
      await everywhere.release();
      throw error;
    }
    return both(here, everywhere);
  } catch (error) {
    await here.release();
    throw error;
  }
}

function both(one: CatalogueLock, other: CatalogueLock): CatalogueLock {
  return {
    assertHeld() {
      one.assertHeld();
      other.assertHeld();
    },
    async release() {
      await Promise.all([one.release(), other.release()]);
    },
  };
}

/** Takes the lock of this DATA_DIR. */
async function lockHere(dataDir: string, onWait: () => void): Promise<CatalogueLock> {
  let lost: Error | undefined;
  const release = await lockFile(dataDir, {
    lockfilePath: path.join(dataDir, 'catalogue.lock'),
    staleMs: STALE_MS,
    onCompromised: (error) => (lost = error),
    retryMs: () => RETRY_MS,
    onWait,
  });
  return {
    assertHeld() {
      if (lost !== undefined) throw new Error('another process took the catalogue over meanwhile', { cause: lost });
    },
    async release() {
      if (lost === undefined) await release();
    },
  };
}

/** Takes the lock that all nodes share: an advisory lock of the database, which ends with its connection. */
async function lockNodes({ url }: Cluster, onWait: () => void): Promise<CatalogueLock> {
  let lost: Error | undefined;
  const client = await openClient(url, { responseMs: ANSWER_MS }, (error) => {
    lost = error;
  });
  const lock = [ADJACENT_LOCKS, LOCKS.catalogue];
  try {
    for (let attempt = 0; ; attempt++) {
      const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', lock);
      if (rows[0]!.taken) break;
      if (attempt === 0) onWait();
      await sleep(RETRY_MS);
    }
  } catch (error) {
    await withTimeLimit(CLOSE_TIMEOUT_MS, client.end());
    throw error;
  }
  return {
    assertHeld() {
      if (lost !== undefined)
        throw new Error('the connection to the database was lost meanwhile, and the catalogue lock with it', {
          cause: lost,
        });
    },
    release: () => withTimeLimit(CLOSE_TIMEOUT_MS, client.end()),
  };
}
