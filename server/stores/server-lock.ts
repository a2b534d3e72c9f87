import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';

export interface ServerLockOptions {
  readonly dataDir: string;
  /** How long to wait for another server to end, in milliseconds. */
  readonly waitMs: number;
  /** Called once when it has to wait. */
  readonly onWait: () => void;
}

/** One server a `DATA_DIR`: budgets, caps and limits are counted in its memory, and a second would not see its counts. */
export interface ServerLock {
  release(): void;
}

/**
 * Takes the lock, which the operating system holds for the process: however it ends, the lock ends with it.
 *
 * @throws Error when another server has it until the time is up
 */
export async function lockDataDirectory({ dataDir, waitMs, onWait }: ServerLockOptions): Promise<ServerLock> {
  const deadline = performance.now() + waitMs;
  for (let tries = 0; ; tries++) {
    const lock = tryLock(join(dataDir, 'server.lock'));
    if (lock !== null) return lock;
    if (performance.now() > deadline) {
      throw new Error(
        `another server runs on DATA_DIR ${dataDir}; stop it, or give this one a directory of its own (commands may run beside a server)`,
      );
    }
    if (tries === 0) onWait();
    await pause(100);
  }
}

/** An empty database whose exclusive lock is never given back: locks of files, which Node itself has none of. */
function tryLock(file: string): ServerLock | null {
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return { release: () => void database.close() };
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
}
