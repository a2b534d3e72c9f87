import { timingSafeEqual } from 'node:crypto';
import { defaultSettings, type KeyFile, keyState, type StoredPublisherKey } from './key-file.js';
import { isKeyShaped, keyDigest } from './key.js';
import type { KeyCheck, Keys, Publisher } from '../domain/publisher.js';
import { type FollowLog, followStore } from '../stores/followed-store.js';
import type { SharedStore } from '../stores/shared-store.js';

/** Compared with when no key matches, so that unknown keys take the same steps as known ones. */
const DECOY = Buffer.alloc(32);

/** Creates a verifier for one state of the key file. */
export function createKeyVerifier(
  file: KeyFile,
): (key: string | undefined, origin: string | undefined, now: number) => KeyCheck {
  const settings = new Map(file.publishers.map((publisher) => [publisher.name, publisher]));
  const keys = new Map(
    file.keys.map((stored) => {
      const { publisher: name, test } = stored;
      const publisher: Publisher = { ...(settings.get(name) ?? defaultSettings(name)), test };
      return [stored.sha256, { stored, publisher }];
    }),
  );

  return (key, origin, now) => {
    if (key === undefined || key === '') return { valid: false, fault: 'missing' };
    if (!isKeyShaped(key)) return { valid: false, fault: 'malformed' };
    const digest = keyDigest(key);
    const known = keys.get(digest);
    const expected = known === undefined ? DECOY : Buffer.from(known.stored.sha256, 'hex');
    const equal = timingSafeEqual(Buffer.from(digest, 'hex'), expected);
    if (known === undefined || !equal) return { valid: false, fault: 'unknown' };
    const { stored, publisher } = known;
    const state = keyState(stored, now);
    if (state !== 'active') return { valid: false, fault: state };
    if (!allows(stored, origin)) return { valid: false, fault: 'wrong-origin' };
    const { id: keyId, mode = 'server', requestsPerMinute } = stored;
    return { valid: true, keyId, mode, publisher, requestsPerMinute };
  };
}

/**
 * Whether a key may be used from an origin. A key limited to origins needs an Origin header: without one, nothing shows
 * which site sent it.
 */
function allows({ origins }: StoredPublisherKey, origin: string | undefined): boolean {
  return origins.length === 0 || origins.some((allowed) => allowed.toLowerCase() === origin?.toLowerCase());
}

export interface LiveKeysOptions {
  readonly store: SharedStore<KeyFile>;
  /** Keys that exist in memory only, such as the demo's. */
  readonly inMemory?: readonly StoredPublisherKey[];
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: FollowLog;
  /** Poll interval of the file, in milliseconds. */
  readonly pollMs?: number;
}

/**
 * Opens the keys and follows their file. If the file later disappears or is damaged, this is logged and the last good
 * content stays in force.
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
