import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lockSync } from 'proper-lockfile';
import { makeDirectory } from '../../models/files/data-directory.js';
import { signingKey, type SigningKey, SigningKeysError } from '../domain/secrets.js';

const DAY = 86_400_000;

/** A key older than this is retired at the next start. */
const ISSUES_FOR = 30 * DAY;

interface StoredKey {
  readonly secret: string;
  readonly createdAt: string;
  readonly retiredAt: string | null;
}

/**
 * The keys in `DATA_DIR/signing-keys.json` (mode 0600), made at first start. A key that has issued for 30 days is retired
 * and replaced here; a retired one verifies as long as a click may come after its ad, then it is forgotten.
 * Starts at the same time take turns.
 *
 * @param now epoch milliseconds
 * @param clickWindowMs how long a click counts after its ad
 * @returns the issuing key, then those that only verify
 * @throws SigningKeysError when the file is damaged, or another process holds it
 */
export function openSigningKeys(dataDir: string, now: number, clickWindowMs: number): [SigningKey, ...SigningKey[]] {
  makeDirectory(dataDir);
  const file = join(dataDir, 'signing-keys.json');
  const release = lock(file);
  try {
    const stored = read(file);
    const kept = stored.filter((key) => key.retiredAt === null || now - Date.parse(key.retiredAt) <= clickWindowMs);
    const fresh = kept.find((key) => key.retiredAt === null && now - Date.parse(key.createdAt) <= ISSUES_FOR);
    const keys = fresh
      ? [fresh, ...kept.filter((key) => key !== fresh)]
      : [create(now), ...kept.map((key) => retire(key, now))];
    if (!fresh || keys.length < stored.length) write(file, keys);
    return keys.map((key, index) => signingKey(key.secret, `${file}: key ${index + 1}`)) as [
      SigningKey,
      ...SigningKey[],
    ];
  } finally {
    release();
  }
}

function lock(file: string): () => void {
  const deadline = Date.now() + 5000;
  for (;;) {
    try {
      return lockSync(file, { realpath: false });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
      if (Date.now() > deadline)
        throw new SigningKeysError(`${file} is held by another process; try again in a few seconds`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
}

function read(file: string): StoredKey[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const keys = parse(text);
  if (keys === undefined) {
    throw new SigningKeysError(
      `${file} is damaged: restore it from a copy, or ads answered before now can no longer be billed`,
    );
  }
  return keys;
}

function parse(text: string): StoredKey[] | undefined {
  try {
    const { keys } = JSON.parse(text) as { keys: StoredKey[] };
    const whole = keys.every(
      (key) =>
        typeof key.secret === 'string' &&
        !Number.isNaN(Date.parse(key.createdAt)) &&
        (key.retiredAt === null || !Number.isNaN(Date.parse(key.retiredAt))),
    );
    return whole ? keys : undefined;
  } catch {
    return undefined;
  }
}

function write(file: string, keys: readonly StoredKey[]): void {
  const temporary = `${file}.${process.pid}.tmp`;
  const descriptor = openSync(temporary, 'w', 0o600);
  try {
    writeFileSync(descriptor, `${JSON.stringify({ keys }, null, 2)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
  syncDirectory(dirname(file));
}

/** A rename is durable once its directory is. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function create(now: number): StoredKey {
  return { secret: randomBytes(32).toString('base64url'), createdAt: new Date(now).toISOString(), retiredAt: null };
}

function retire(key: StoredKey, now: number): StoredKey {
  return key.retiredAt === null ? { ...key, retiredAt: new Date(now).toISOString() } : key;
}
