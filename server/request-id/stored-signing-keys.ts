import { randomBytes } from 'node:crypto';
import { Type, type Static } from '#typebox';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { DAY } from '../../platform/time/durations.js';
import { checker, requireValid } from '../../models/schema/check.js';
import { parseSigningKey, type SigningKey } from '../domain/signing-key.js';
import { openStore } from '../stores/open-store.js';
import type { SharedStore } from '../stores/shared-store.js';
import { StoredInstallation } from './installations.js';

/** A key older than this is retired. */
const ISSUES_FOR = 30 * DAY;
const SPARE_KEYS = 2;

const Moment = Type.String({ format: 'date-time' });
const StoredSigningKey = Type.Object({
  secret: Type.String(),
  createdAt: Moment,
  retiredAt: Type.Union([Moment, Type.Null()]),
});
export type StoredSigningKey = Static<typeof StoredSigningKey>;

const SigningKeyFile = Type.Object({
  /** The issuing key first, unless the SIGNING_KEYS setting issues. */
  keys: Type.Array(StoredSigningKey),
  /** The current installation first. */
  installations: Type.Optional(Type.Array(StoredInstallation)),
  /** Since when request ids carry their installation. */
  numberedSince: Type.Optional(Moment),
});
export type SigningKeyFile = Static<typeof SigningKeyFile>;

/**
 * Opens the file `DATA_DIR/signing-keys.json`, mode 0600. It holds the secrets that seal request ids, and the
 * installations.
 */
export function signingKeyStore(dataDir: string, cluster?: Cluster | null): SharedStore<SigningKeyFile> {
  return openStore<SigningKeyFile>({ dataDir, name: 'signing-keys.json', empty: { keys: [] }, parse, cluster });
}

/** Returns the keys to keep, with a valid issuing key first: a new one if the last has issued for 30 days. */
export function issuingKeys(stored: readonly StoredSigningKey[], now: number, windowMs: number): StoredSigningKey[] {
  const kept = keptKeys(stored, now, windowMs);
  const issuing = kept.find(
    ({ retiredAt, createdAt }) => retiredAt === null && now - Date.parse(createdAt) <= ISSUES_FOR,
  );
  return issuing === undefined ? rotatedKeys(kept, now) : [issuing, ...kept.filter((key) => key !== issuing)];
}

/** Returns a new key followed by the previous ones, all retired. */
export function rotatedKeys(stored: readonly StoredSigningKey[], now: number): StoredSigningKey[] {
  const fresh = {
    secret: randomBytes(32).toString('base64url'),
    createdAt: new Date(now).toISOString(),
    retiredAt: null,
  };
  return [fresh, ...retiredKeys(stored, now)];
}

/** Returns the same keys, all retired. */
export function retiredKeys(stored: readonly StoredSigningKey[], now: number): StoredSigningKey[] {
  return stored.map((key) => {
    // The clock may have been set back since the key was created.
    const moment = new Date(Math.max(now, Date.parse(key.createdAt))).toISOString();
    return { ...key, retiredAt: key.retiredAt ?? moment };
  });
}

/** Returns how long a retired key verifies: as long as any event may arrive after its ad, in milliseconds. */
export function verifyingWindowMs(windows: {
  readonly impressionWindowMs: number;
  readonly clickWindowMs: number;
}): number {
  return Math.max(windows.impressionWindowMs, windows.clickWindowMs);
}

/**
 * Returns the keys that verify: issuing ones, and those retired so recently that events of their last ads may still
 * arrive.
 */
export function verifyingKeys(stored: readonly StoredSigningKey[], now: number, windowMs: number): StoredSigningKey[] {
  return stored.filter(({ retiredAt }) => retiredAt === null || now - Date.parse(retiredAt) <= windowMs);
}

/**
 * Returns the verifying keys and the most recently retired others, so that a clock that is temporarily far ahead loses
 * no key for good.
 */
export function keptKeys(stored: readonly StoredSigningKey[], now: number, windowMs: number): StoredSigningKey[] {
  const verifying = new Set(verifyingKeys(stored, now, windowMs));
  const others = stored
    .filter((key) => !verifying.has(key))
    .toSorted((one, other) => Date.parse(other.retiredAt ?? '') - Date.parse(one.retiredAt ?? ''));
  return [...verifying, ...others.slice(0, SPARE_KEYS)];
}

export function keyOf({ secret }: StoredSigningKey): SigningKey {
  return parseSigningKey(secret, 'a stored key');
}

const check = checker(SigningKeyFile);

function parse(value: unknown): SigningKeyFile {
  const file = requireValid(check(value));
  file.keys.forEach(keyOf);
  return file;
}
