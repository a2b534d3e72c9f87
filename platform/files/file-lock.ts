import { stat, utimes } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import lockfile from 'proper-lockfile';

export interface FileLockOptions {
  /** The lock's own path; default: the target's with `.lock`. */
  readonly lockfilePath?: string;
  /** After this many milliseconds without a sign of life, a lock counts as that of a killed process; 2000 at least. */
  readonly staleMs: number;
  /** Called if another process takes the lock over. (By default the library throws from a timer.) */
  readonly onCompromised: (error: Error) => void;
  /** Returns the pause before another try, in milliseconds. */
  readonly retryMs: () => number;
  /** How long to try; default: without end. */
  readonly waitMs?: number;
  /** Called once if the lock is held. */
  readonly onWait?: () => void;
}

/**
 * Takes a file's lock, and waits for it if another process has it.
 *
 * @returns a function that releases it
 * @throws Error with the code ELOCKED when it is held for longer than `waitMs`
 */
export async function lockFile(target: string, options: FileLockOptions): Promise<() => Promise<void>> {
  const { lockfilePath = `${target}.lock`, staleMs, onCompromised, retryMs, waitMs = Infinity, onWait } = options;
  const began = performance.now();
  let seen: Seen = { mtimeMs: NaN, since: began };
  for (let attempt = 0; ; attempt++) {
    try {
      return await lockfile.lock(target, { realpath: false, lockfilePath, stale: staleMs, onCompromised });
    } catch (error) {
      const isHeld = (error as NodeJS.ErrnoException).code === 'ELOCKED';
      if (!isHeld || performance.now() - began > waitMs) throw error;
    }
    if (attempt === 0) onWait?.();
    seen = await expireIfAhead(lockfilePath, staleMs, seen);
    await pause(retryMs());
  }
}

/** When a lock was last dated, and since when it has been seen so, by `performance.now()`. */
interface Seen {
  readonly mtimeMs: number;
  readonly since: number;
}

/**
 * Lets a lock expire whose owner died while the clock was ahead: it would count as held until the clock gets there. An
 * owner that lives dates it anew all the time.
 */
async function expireIfAhead(file: string, staleMs: number, seen: Seen): Promise<Seen> {
  const mtimeMs = await stat(file).then(
    (stats) => stats.mtimeMs,
    () => NaN,
  );
  if (mtimeMs !== seen.mtimeMs) return { mtimeMs, since: performance.now() };
  if (mtimeMs > Date.now() + staleMs && performance.now() - seen.since > staleMs) {
    const expired = new Date(Date.now() - 2 * staleMs);
    await utimes(file, expired, expired).catch(() => undefined);
  }
  return seen;
}
