import { timingSafeEqual } from 'node:crypto';
import { defaultSettings, type KeyFile, type StoredKey } from './key-file.js';
import { isKeyShaped, keyDigest } from './key.js';
import type { KeyCheck, Publisher } from '../domain/publisher.js';

/** Compared with when no key matches, so that unknown keys take the same steps as known ones. */
const DECOY = Buffer.alloc(32);

/** Verifies presented keys against one state of the key file. */
export function createKeyVerifier(
  file: KeyFile,
): (key: string | undefined, origin: string | undefined, now: number) => KeyCheck {
  const keys = new Map(file.keys.map((key) => [key.sha256, key]));
  const publishers = new Map(file.publishers.map((publisher) => [publisher.name, publisher]));

  return (key, origin, now) => {
    if (key === undefined || key === '') return { live: false, fault: 'missing' };
    if (!isKeyShaped(key)) return { live: false, fault: 'malformed' };
    const digest = keyDigest(key);
    const stored = keys.get(digest);
    const known = timingSafeEqual(Buffer.from(digest, 'hex'), stored ? Buffer.from(stored.sha256, 'hex') : DECOY);
    if (stored === undefined || !known) return { live: false, fault: 'unknown' };
    if (hasPassed(stored.deactivatedAt, now)) return { live: false, fault: 'deactivated' };
    if (hasPassed(stored.expiresAt, now)) return { live: false, fault: 'expired' };
    if (!allows(stored, origin)) return { live: false, fault: 'wrong-origin' };
    const { name, ...settings } = publishers.get(stored.publisher) ?? defaultSettings(stored.publisher);
    const publisher: Publisher = { name, test: stored.test, ...settings };
    return { live: true, keyId: stored.id, publisher, requestsPerMinute: stored.requestsPerMinute };
  };
}

function hasPassed(moment: string | null, now: number): boolean {
  return moment !== null && Date.parse(moment) <= now;
}

/** A limited key needs an Origin header: without one nothing shows that the right site sent it. */
function allows({ origins }: StoredKey, origin: string | undefined): boolean {
  return origins.length === 0 || origins.some((allowed) => allowed.toLowerCase() === origin?.toLowerCase());
}
