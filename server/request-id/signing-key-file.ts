import { existsSync } from 'node:fs';
import type { DataLocation } from '../../platform/cluster/data-location.js';
import { poll } from '../../platform/time/poll.js';
import { type SigningKey, SigningKeysError } from '../domain/signing-key.js';
import { HOUR } from '../../platform/time/durations.js';
import { type FollowLog, followStore } from '../stores/followed-store.js';
import { DamagedStoreError } from '../stores/shared-store.js';
import { servedUntil, servedWithoutInstallationUntil, placeOf, resolveInstallation } from './installations.js';
import {
  issuingKeys,
  keptKeys,
  keyOf,
  retiredKeys,
  type SigningKeyFile,
  signingKeyStore,
  verifyingKeys,
} from './stored-signing-keys.js';
import { createSigningKeySet, type SigningKeys, type SigningKeySet } from './signing-key-set.js';
import { type PendingKey, pendingKeyOf } from './pending-key.js';

export interface SigningKeysOptions extends DataLocation {
  /** Keys of the SIGNING_KEYS setting: the first one issues, in place of a stored key. */
  readonly given?: readonly [SigningKey, ...SigningKey[]] | null;
  /** The INSTALLATION setting. */
  readonly installation?: string | null;
  /** Longest time after its ad that an event of any kind may arrive. */
  readonly windowMs: number;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

export interface FollowOptions extends SigningKeysOptions {
  readonly log: FollowLog;
  /** Poll interval of the file, in milliseconds. */
  readonly pollMs?: number;
  /** Interval of the check whether a key is due for rotation, in milliseconds. */
  readonly upkeepMs?: number;
}

/** Signing keys that follow their file and rotate automatically. */
export interface LiveSigningKeys extends SigningKeys {
  close(): Promise<void>;
}

/**
 * Opens the stored keys, creates them at the first start, and follows their file. A key that has issued for 30 days is
 * retired and replaced. A retired key verifies as long as events of its ads may arrive, then is dropped. Keys of the
 * SIGNING_KEYS setting retire the stored ones.
 *
 * @throws SigningKeysError when the file is damaged
 */
export async function followSigningKeys(options: FollowOptions): Promise<LiveSigningKeys> {
  const { log, pollMs = 1000, upkeepMs = HOUR } = options;
  const store = signingKeyStore(options.dataDir, options.cluster);
  await open(options);
  let keySet: SigningKeySet | undefined;
  let file: SigningKeyFile;
  let pending: PendingKey | null = null;
  const apply = (content: SigningKeyFile): void => {
    const next = pendingKeyOf(content, keySet?.issuing, pending, options);
    keySet = keySetFrom(content, options, keySet, next?.issuing);
    [file, pending] = [content, next];
  };
  const followed = await followStore({ store, onChange: apply, log, name: 'signing keys', pollMs });
  apply(followed.current);
  // A missing file may come back. A new one would invalidate every ad served before.
  const rotateIfDue = async (): Promise<void> => {
    if (existsSync(store.path)) apply(await updateKeyFile(options, requireInstallation));
  };
  const upkeep = poll(rotateIfDue, {
    everyMs: upkeepMs,
    onError: (error) => log.error({ err: error }, 'signing keys: the file cannot be kept up to date'),
  });
  return {
    get current() {
      if (pending !== null && options.clock() >= pending.until) apply(file);
      return keySet!;
    },
    async close() {
      await Promise.all([upkeep.close(), followed.close()]);
    },
  };
}

/**
 * Returns the stored keys as of one moment, and creates them if there are none. Concurrent starts take turns.
 *
 * @param now epoch milliseconds
 * @param windowMs longest time after its ad that an event may arrive
 * @throws SigningKeysError when the file is damaged
 */
export async function openSigningKeys(
  dataDir: string,
  now: number,
  windowMs: number,
  settings: Pick<SigningKeysOptions, 'given' | 'installation' | 'cluster'> = {},
): Promise<SigningKeys> {
  const options = { ...settings, dataDir, windowMs, clock: () => now };
  return { current: keySetFrom(await open(options), options) };
}

/**
 * Brings the file up to date and determines the installation. This happens only at a start: on a file system whose
 * inodes change while the server runs, it would otherwise change the id that the server is using.
 */
function open(options: SigningKeysOptions): Promise<SigningKeyFile> {
  const { dataDir, cluster, installation: name = null } = options;
  return updateKeyFile(options, (file, now) => {
    file.installations = resolveInstallation(
      file.installations ?? [],
      { place: cluster?.id ?? placeOf(dataDir), name },
      now,
    );
  });
}

/** Refuses to recreate a file that disappeared after the existence check. @throws SigningKeysError */
function requireInstallation({ installations = [] }: SigningKeyFile): void {
  if (installations.length === 0) throw new SigningKeysError('signing-keys.json is gone');
}

/**
 * Brings the file up to date.
 *
 * @param first called with the content before the keys are updated
 * @returns the new content
 */
async function updateKeyFile(
  { dataDir, cluster, given = null, windowMs, clock }: SigningKeysOptions,
  first: (file: SigningKeyFile, now: number) => void,
): Promise<SigningKeyFile> {
  const now = clock();
  const change = (file: SigningKeyFile): SigningKeyFile => {
    first(file, now);
    file.keys =
      given === null ? issuingKeys(file.keys, now, windowMs) : retiredKeys(keptKeys(file.keys, now, windowMs), now);
    // If the clock is behind, the newest key was created later than now.
    file.numberedSince ??= new Date(
      Math.max(now, ...file.keys.map(({ createdAt }) => Date.parse(createdAt))),
    ).toISOString();
    return file;
  };
  return signingKeyStore(dataDir, cluster).change(change).catch(damaged);
}

/**
 * Builds the key set from the file.
 *
 * @param before the key set so far: the installation stays what it was at the start, even if others use the directory
 * @param issuing a key that goes on issuing in place of the newest
 */
function keySetFrom(
  file: SigningKeyFile,
  options: SigningKeysOptions,
  before?: SigningKeySet,
  issuing?: SigningKey,
): SigningKeySet {
  const { given = null, windowMs, clock } = options;
  const stored = verifyingKeys(file.keys, clock(), windowMs).map(keyOf);
  const [first, ...others] = [...(given ?? []), ...(issuing === undefined ? [] : [issuing]), ...stored];
  // A manual edit may have removed all keys.
  if (first === undefined) throw new SigningKeysError('signing-keys.json holds no key');
  const { installations = [], numberedSince } = file;
  const installation = before?.installation ?? installations[0]?.id;
  return createSigningKeySet({
    keys: [first, ...others],
    ...(installation === undefined ? {} : { installation }),
    servedUntil: [
      ...servedUntil(installations),
      ...(numberedSince === undefined ? [] : [['', servedWithoutInstallationUntil(numberedSince)] as const]),
    ],
  });
}

function damaged(error: unknown): never {
  // A file that cannot be read, for example by this user, is not damaged.
  if (!(error instanceof DamagedStoreError) || isSystemError(error.cause)) throw error;
  throw new SigningKeysError(
    `${error.path} is damaged: restore it from a copy, or ads served before now can no longer be billed`,
    { cause: error },
  );
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
