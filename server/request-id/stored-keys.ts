import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { checker, requireValid } from '../../models/schema/check.js';
import { signingKey, type SigningKey } from '../domain/secrets.js';
import { SharedStore } from '../stores/shared-store.js';
import { StoredInstallation } from './installations.js';

const DAY = 86_400_000;

/** A key older than this is retired. */
const ISSUES_FOR = 30 * DAY;

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
export function signingKeyStore(dataDir: string): SharedStore<SigningKeyFile> {
  return new SharedStore<SigningKeyFile>(join(dataDir, 'signing-keys.json'), { keys: [] }, parse);
}

/** Those that verify at a moment, behind one that may issue: a new one where the last has issued for 30 days. */
export function issuingKeys(stored: readonly StoredKey[], now: number, windowMs: number): StoredKey[] {
  const kept = verifyingKeys(stored, now, windowMs);
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
  const moment = new Date(now).toISOString();
  return stored.map((key) => ({ ...key, retiredAt: key.retiredAt ?? moment }));
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

export function keyOf({ secret }: StoredKey): SigningKey {
  return signingKey(secret, 'a stored key');
}

const check = checker(SigningKeyFile);

function parse(value: unknown): SigningKeyFile {
  const file = requireValid(check(value));
  file.keys.forEach(keyOf);
  return file;
}
