import { followStore, type FollowLog } from '../stores/followed-store.js';
import type { SharedStore } from '../stores/shared-store.js';
import { createKeyVerifier } from './verify-key.js';
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
  const verifierOf = (file: KeyFile) => createKeyVerifier({ ...file, keys: [...file.keys, ...inMemory] });
  const onChange = (file: KeyFile): void => void (verify = verifierOf(file));
  const followed = await followStore({ store, onChange, log, name: 'keys', pollMs });
  let verify = verifierOf(followed.current);
  return {
    check: (key, origin) => verify(key, origin, clock()),
    close: () => followed.close(),
  };
}
