import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';

export interface ServerLockOptions {
  readonly dataDir: string;
  /** How long to wait for another server to end, in milliseconds. */
  readonly waitMs: number;
  /** Called once if the lock is not free. */
  readonly onWait: () => void;
}

/**
 * The lock that allows one server per `DATA_DIR`: budgets, caps and limits are counted in a server's memory, and a
 * second server would not see those counts.
 */
export interface ServerLock {
  release(): void;
}

/**
 * Takes the lock. The operating system holds it for the process, so it ends with the process in any case.
 *
 * @throws Error when another server still has it after the wait, or the disk is full or read-only
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

/**
 * Opens an empty database with an exclusive lock that is held until it is closed. SQLite provides the file lock,
 * because Node has none.
 */
function tryLock(file: string): ServerLock | null {
  let database: Database.Database | undefined;
  try {
    database = new Database(file, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
    return { release: () => void database?.close() };
  } catch (error) {
    database?.close();
    const { code, message } = error as Error & { readonly code?: string };
    if (code?.startsWith('SQLITE_BUSY')) return null;
    // SQLite itself does not load.
    if (code === 'ERR_DLOPEN_FAILED') throw error;
    throw new Error(`DATA_DIR cannot be written: ${message} (${file})`, { cause: error });
  }
}
