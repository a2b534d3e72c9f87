import { stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { SharedStore } from '../stores/shared-store.js';
import { createJudge } from './judge.js';
import type { KeyFile, StoredKey } from './key-file.js';
import type { Keys } from './publisher.js';

export interface LiveKeysOptions {
  readonly store: SharedStore<KeyFile>;
  /** Keys that live in memory only, such as the demo's. */
  readonly inMemory?: readonly StoredKey[];
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** How often the file is looked at, in milliseconds. */
  readonly pollMs?: number;
}

/**
 * The keys of a file, followed as it changes. A damaged or vanished file is logged and the last good content stays.
 *
 * @throws DamagedStoreError when the file is damaged at the start
 */
export async function openKeys({ store, inMemory = [], clock, log, pollMs = 1000 }: LiveKeysOptions): Promise<Keys> {
  let seen = await stamp(store.path);
  let judge = judgeOf(await store.read());
  let following: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    following = following
      .then(follow)
      .catch((error: unknown) => log.error({ err: error }, 'keys: following the file failed'));
  }, pollMs);
  timer.unref();

  return {
    check: (key, origin) => judge(key, origin, clock()),
    async close() {
      clearInterval(timer);
      await following;
    },
  };

  function judgeOf(file: KeyFile) {
    return createJudge({ ...file, keys: [...file.keys, ...inMemory] });
  }

  async function follow(): Promise<void> {
    const now = await stamp(store.path);
    if (now === seen) return;
    seen = now;
    if (now === ABSENT) {
      log.error({ file: store.path }, 'keys: the file is gone; the keys read last stay in force');
      return;
    }
    try {
      judge = judgeOf(await store.read());
      log.info({ file: store.path }, 'keys: changed');
    } catch (error) {
      log.error({ err: error }, 'keys: the file is damaged; the keys read last stay in force');
    }
  }
}

const ABSENT = 'absent';

/** Changes whenever the file is replaced or edited in place. */
async function stamp(path: string): Promise<string> {
  try {
    const { mtimeNs, ctimeNs, size, ino } = await stat(path, { bigint: true });
    return `${mtimeNs}:${ctimeNs}:${size}:${ino}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ABSENT;
    throw error;
  }
}
