import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { END_MS, noLongerThan } from '../../platform/cluster/no-longer-than.js';
import { makeDirectory } from '../../platform/files/data-directory.js';
import { openClient } from '../../platform/postgres/connection.js';
import { ADJACENT_LOCKS, LOCKS } from '../../platform/postgres/locks.js';
import { fetchCatalogue } from './fetch-catalogue.js';

/** After this long without a sign of life a lock's holder is taken for dead. */
const STALE_MS = 10_000;
const RETRY_MS = 250;
/** Whether another node has the lock, the database says at once, however long that node keeps it. */
const ANSWER_MS = 5000;

/** The right to write snapshots, the pointer, images and landing addresses; one process at a time has it. */
export interface CatalogueLock {
  /** @throws Error when another process took the lock over, because this one stood still for too long */
  assertHeld(): void;
  release(): Promise<void>;
}

/**
 * Takes the lock, waiting as long as another process has it. That of a killed process is taken over after 10 s. Of several
 * nodes, too, one has it at a time, and it finds in its DATA_DIR what the others have published.
 *
 * @param onWait called once, when there is something to wait for
 * @throws Error when the directory cannot be made, or the database does not answer
 */
export async function lockCatalogue(
  dataDir: string,
  onWait: () => void,
  cluster: Cluster | null = null,
): Promise<CatalogueLock> {
  makeDirectory(dataDir);
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

/** The lock of DATA_DIR. */
async function lockHere(dataDir: string, onWait: () => void): Promise<CatalogueLock> {
  let lost: Error | undefined;
  const release = await acquire(
    dataDir,
    (error) => {
      lost = error;
    },
    onWait,
  );
  return {
    assertHeld() {
      if (lost !== undefined) throw new Error('another process took the catalogue over meanwhile', { cause: lost });
    },
    async release() {
      if (lost === undefined) await release();
    },
  };
}

async function acquire(
  dataDir: string,
  onCompromised: (error: Error) => void,
  onWait: () => void,
): Promise<() => Promise<void>> {
  const options = { lockfilePath: path.join(dataDir, 'catalogue.lock'), stale: STALE_MS, onCompromised };
  for (let attempt = 0; ; attempt++) {
    try {
      return await lockfile.lock(dataDir, options);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
    }
    if (attempt === 0) onWait();
    await sleep(RETRY_MS);
  }
}

/** A lock of the database's, which ends with its connection. */
async function lockNodes({ url }: Cluster, onWait: () => void): Promise<CatalogueLock> {
  let lost: Error | undefined;
  const client = await openClient(url, { answerMs: ANSWER_MS }, (error) => {
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
    await noLongerThan(END_MS, client.end());
    throw error;
  }
  return {
    assertHeld() {
      if (lost !== undefined)
        throw new Error('the database was lost meanwhile, and the catalogue with it', { cause: lost });
    },
    release: () => noLongerThan(END_MS, client.end()),
  };
}
