import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { checker, requireValid } from '../../models/schema/check.js';
import { signingKey, SigningKeysError, type SigningKey } from '../domain/secrets.js';
import { DamagedStoreError, SharedStore } from '../stores/shared-store.js';

const DAY = 86_400_000;

/** A key older than this is retired at the next start. */
const ISSUES_FOR = 30 * DAY;

const Moment = Type.String({ format: 'date-time' });
const StoredKey = Type.Object({
  secret: Type.String(),
  createdAt: Moment,
  retiredAt: Type.Union([Moment, Type.Null()]),
});
type StoredKey = Static<typeof StoredKey>;

const SigningKeyFile = Type.Object({ keys: Type.Array(StoredKey) });
type SigningKeyFile = Static<typeof SigningKeyFile>;

/**
 * The keys in `DATA_DIR/signing-keys.json` (mode 0600), made at first start. A key that has issued for 30 days is retired
 * and replaced here; a retired one verifies as long as a click may come after its ad, then it is forgotten.
 * Starts at the same time take turns.
 *
 * @param now epoch milliseconds
 * @param clickWindowMs how long a click counts after its ad
 * @returns the issuing key, then those that only verify
 * @throws SigningKeysError when the file is damaged
 */
export async function openSigningKeys(
  dataDir: string,
  now: number,
  clickWindowMs: number,
): Promise<[SigningKey, ...SigningKey[]]> {
  const store = new SharedStore<SigningKeyFile>(join(dataDir, 'signing-keys.json'), { keys: [] }, parse);
  const keys = await store.change((file) => (file.keys = rotated(file.keys, now, clickWindowMs))).catch(damaged);
  return keys.map(({ secret }, index) => signingKey(secret, `${store.path}: key ${index + 1}`)) as [
    SigningKey,
    ...SigningKey[],
  ];
}

/** Those that still verify, behind one that may still issue. */
function rotated(stored: readonly StoredKey[], now: number, clickWindowMs: number): StoredKey[] {
  const kept = stored.filter(({ retiredAt }) => retiredAt === null || now - Date.parse(retiredAt) <= clickWindowMs);
  const issuing = kept.find(
    ({ retiredAt, createdAt }) => retiredAt === null && now - Date.parse(createdAt) <= ISSUES_FOR,
  );
  if (issuing !== undefined) return [issuing, ...kept.filter((key) => key !== issuing)];
  const moment = new Date(now).toISOString();
  const fresh = { secret: randomBytes(32).toString('base64url'), createdAt: moment, retiredAt: null };
  return [fresh, ...kept.map((key) => ({ ...key, retiredAt: key.retiredAt ?? moment }))];
}

const check = checker(SigningKeyFile);

function parse(value: unknown): SigningKeyFile {
  return requireValid(check(value));
}

function damaged(error: unknown): never {
  if (!(error instanceof DamagedStoreError)) throw error;
  throw new SigningKeysError(
    `${error.path} is damaged: restore it from a copy, or ads answered before now can no longer be billed`,
    { cause: error },
  );
}
