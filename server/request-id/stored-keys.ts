import { randomBytes } from 'node:crypto';
import { Type, type Static } from 'typebox';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { checker, requireValid } from '../../models/schema/check.js';
import { signingKey, type SigningKey } from '../domain/secrets.js';
import { openStore } from '../stores/open-store.js';
import type { SharedStore } from '../stores/shared-store.js';
import { StoredInstallation } from './installations.js';

const DAY = 86_400_000;

/** A key older than this is retired. */
const ISSUES_FOR = 30 * DAY;
const SPARE_KEYS = 2;

const Moment = Type.String({ format: 'date-time' });
const StoredKey = Type.Object({
  secret: Type.String(),
  createdAt: Moment,
  retiredAt: Type.Union([Moment, Type.Null()]),
});
export type StoredKey = Static<typeof StoredKey>;

const SigningKeyFile = Type.Object({
  /** The issuing key first, unless the SIGNING_KEYS setting has others. */
  keys: Type.Array(StoredKey),
  /** The present one first. */
  installations: Type.Optional(Type.Array(StoredInstallation)),
  /** Since when request ids carry their installation. */
  numberedSince: Type.Optional(Moment),
});
export type SigningKeyFile = Static<typeof SigningKeyFile>;

/** The file `DATA_DIR/signing-keys.json`, mode 0600. It holds what seals request ids, and whose they are. */
export function signingKeyStore(dataDir: string, cluster?: Cluster | null): SharedStore<SigningKeyFile> {
  return openStore<SigningKeyFile>({ dataDir, name: 'signing-keys.json', empty: { keys: [] }, parse, cluster });
}

/** Those to be kept, behind one that may issue: a new one where the last has issued for 30 days. */
export function issuingKeys(stored: readonly StoredKey[], now: number, windowMs: number): StoredKey[] {
  const kept = keptKeys(stored, now, windowMs);
  const issuing = kept.find(
    ({ retiredAt, createdAt }) => retiredAt === null && now - Date.parse(createdAt) <= ISSUES_FOR,
  );
  return issuing === undefined ? rotatedKeys(kept, now) : [issuing, ...kept.filter((key) => key !== issuing)];
}

/** A new key, behind it the ones so far, all retired. */
export function rotatedKeys(stored: readonly StoredKey[], now: number): StoredKey[] {
  const fresh = {
    secret: randomBytes(32).toString('base64url'),
    createdAt: new Date(now).toISOString(),
    retiredAt: null,
  };
  return [fresh, ...retiredKeys(stored, now)];
}

/** The same keys, none of which issues any more. */
export function retiredKeys(stored: readonly StoredKey[], now: number): StoredKey[] {
  return stored.map((key) => {
    // The clock may have been set back since it was made.
    const moment = new Date(Math.max(now, Date.parse(key.createdAt))).toISOString();
    return { ...key, retiredAt: key.retiredAt ?? moment };
  });
}

/** How long a retired key verifies: as long as any event may come after its ad, in milliseconds. */
export function verifyingWindowMs(windows: {
  readonly impressionWindowMs: number;
  readonly clickWindowMs: number;
}): number {
  return Math.max(windows.impressionWindowMs, windows.clickWindowMs);
}

/** Those that issue, and those retired so lately that an event of their last ad may still come. */
export function verifyingKeys(stored: readonly StoredKey[], now: number, windowMs: number): StoredKey[] {
  return stored.filter(({ retiredAt }) => retiredAt === null || now - Date.parse(retiredAt) <= windowMs);
}

/** Those that verify, and the last ones that do not any more: a clock that is far ahead for a while forgets no key for good. */
export function keptKeys(stored: readonly StoredKey[], now: number, windowMs: number): StoredKey[] {
  const verifying = new Set(verifyingKeys(stored, now, windowMs));
  const others = stored
    .filter((key) => !verifying.has(key))
    .toSorted((one, other) => Date.parse(other.retiredAt ?? '') - Date.parse(one.retiredAt ?? ''));
  return [...verifying, ...others.slice(0, SPARE_KEYS)];
}

export function keyOf({ secret }: StoredKey): SigningKey {
  return signingKey(secret, 'a stored key');
}

const check = checker(SigningKeyFile);

function parse(value: unknown): SigningKeyFile {
  const file = requireValid(check(value));
  file.keys.forEach(keyOf);
  return file;
}
