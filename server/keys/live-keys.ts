import { followStore, type FollowLog } from '../stores/followed-store.js';
import type { SharedStore } from '../stores/shared-store.js';
import { createJudge } from './judge.js';
import type { KeyFile, StoredKey } from './key-file.js';
import type { Keys } from '../domain/publisher.js';

export interface LiveKeysOptions {
  readonly store: SharedStore<KeyFile>;
  /** Keys that live in memory only, such as the demo's. */
  readonly inMemory?: readonly StoredKey[];
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: FollowLog;
  /** How often the file is looked at, in milliseconds. */
  readonly pollMs?: number;
}

/**
 * The keys of a file, followed as it changes. A damaged or vanished file is logged and the last good content stays.
 *
 * @throws DamagedStoreError when the file is damaged at the start
 */
export async function openKeys({ store, inMemory = [], clock, log, pollMs = 1000 }: LiveKeysOptions): Promise<Keys> {
  const judgeOf = (file: KeyFile) => createJudge({ ...file, keys: [...file.keys, ...inMemory] });
  const onChange = (file: KeyFile): void => void (judge = judgeOf(file));
  const followed = await followStore({ store, onChange, log, name: 'keys', pollMs });
  let judge = judgeOf(followed.current);
  return {
    check: (key, origin) => judge(key, origin, clock()),
    close: () => followed.close(),
  };
}
