import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import { makeDirectory } from '../files/data-directory.js';

/** After this long without a sign of life a lock's holder is taken for dead. */
const STALE_MS = 10_000;
const RETRY_MS = 250;

/** The right to write snapshots, the pointer, images and landing addresses; one process at a time has it. */
export interface CatalogueLock {
  /** @throws Error when another process took the lock over, because this one stood still for too long */
  assertHeld(): void;
  release(): Promise<void>;
}

/**
 * Takes the lock, waiting as long as another process has it. That of a killed process is taken over after 10 s.
 *
 * @param onWait called once, when there is something to wait for
 * @throws Error when the directory cannot be made
 */
export async function lockCatalogue(dataDir: string, onWait: () => void): Promise<CatalogueLock> {
  makeDirectory(dataDir);
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
