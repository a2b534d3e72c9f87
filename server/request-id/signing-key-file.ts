import { existsSync } from 'node:fs';
import type { Place } from '../../platform/cluster/place.js';
import { poll } from '../../platform/time/poll.js';
import { type SigningKey, SigningKeysError } from '../domain/secrets.js';
import { type FollowLog, followStore } from '../stores/followed-store.js';
import { DamagedStoreError } from '../stores/shared-store.js';
import { answeredUntil, answeredWithoutUntil, placeOf, settleInstallation } from './installations.js';
import {
  issuingKeys,
  keptKeys,
  keyOf,
  retiredKeys,
  type SigningKeyFile,
  signingKeyStore,
  verifyingKeys,
} from './stored-keys.js';
import { createSigningRing, type SigningKeys, type SigningRing } from './signing-ring.js';
import { type Waiting, waitingFor } from './waiting-key.js';

export interface SigningKeysOptions extends Place {
  /** Those of the SIGNING_KEYS setting: the first issues, in place of a stored one. */
  readonly given?: readonly [SigningKey, ...SigningKey[]] | null;
  /** The INSTALLATION setting. */
  readonly installation?: string | null;
  /** How long after its ad an event may come: the longest of all kinds. */
  readonly windowMs: number;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

export interface FollowOptions extends SigningKeysOptions {
  readonly log: FollowLog;
  /** How often the file is looked at, in milliseconds. */
  readonly pollMs?: number;
  /** How often it is looked whether a key has issued for long enough, in milliseconds. */
  readonly upkeepMs?: number;
}

/** Signing keys that follow their file, and rotate by themselves. */
export interface LiveSigningKeys extends SigningKeys {
  close(): Promise<void>;
}

const HOUR = 3_600_000;

/**
 * Opens the stored keys, made at the first start, and follows them. A key that has issued for 30 days is retired and replaced;
 * a retired one verifies as long as an event may come after its ad, then it is forgotten. Given keys retire the stored ones.
 *
 * @throws SigningKeysError when the file is damaged
 */
export async function followSigningKeys(options: FollowOptions): Promise<LiveSigningKeys> {
  const { log, pollMs = 1000, upkeepMs = HOUR } = options;
  const store = signingKeyStore(options.dataDir, options.cluster);
  await open(options);
  let ring: SigningRing | undefined;
  let file: SigningKeyFile;
  let waiting: Waiting | null = null;
  const hold = (content: SigningKeyFile): void => {
    const next = waitingFor(content, ring?.issuing, waiting, options);
    ring = ringFrom(content, options, ring, next?.issuing);
    [file, waiting] = [content, next];
  };
  const followed = await followStore({ store, onChange: hold, log, name: 'signing keys', pollMs });
  hold(followed.current);
  // A file that is gone may come back: a new one would make all that was answered before worthless.
  const look = async (): Promise<void> => {
    if (existsSync(store.path)) hold(await keepUp(options, requireInstallation));
  };
  const upkeep = poll(look, {
    everyMs: upkeepMs,
    onError: (error) => log.error({ err: error }, 'signing keys: the file cannot be kept up to date'),
  });
  return {
    get current() {
      if (waiting !== null && options.clock() >= waiting.until) hold(file);
      return ring!;
    },
    async close() {
      await Promise.all([upkeep.close(), followed.close()]);
    },
  };
}

/**
 * The stored keys as they are at a moment, made at the first one. Starts at the same time take turns.
 *
 * @param now epoch milliseconds
 * @param windowMs how long after its ad an event may come
 * @throws SigningKeysError when the file is damaged
 */
export async function openSigningKeys(
  dataDir: string,
  now: number,
  windowMs: number,
  settings: Pick<SigningKeysOptions, 'given' | 'installation' | 'cluster'> = {},
): Promise<SigningKeys> {
  const options = { ...settings, dataDir, windowMs, clock: () => now };
  return { current: ringFrom(await open(options), options) };
}

/**
 * Brings the file up to date, and settles which installation this is: at a start alone. A file system that changes its inodes
 * while the server runs would otherwise give away the name that it goes on answering under.
 */
function open(options: SigningKeysOptions): Promise<SigningKeyFile> {
  const { dataDir, cluster, installation: name = null } = options;
  return keepUp(options, (file, now) => {
    file.installations = settleInstallation(
      file.installations ?? [],
      { place: cluster?.id ?? placeOf(dataDir), name },
      now,
    );
  });
}

/** A file that went between the look and its reading is not made anew. @throws SigningKeysError */
function requireInstallation({ installations = [] }: SigningKeyFile): void {
  if (installations.length === 0) throw new SigningKeysError('signing-keys.json is gone');
}

/** Brings the file up to date. @param first what is done before @returns its content */
async function keepUp(
  { dataDir, cluster, given = null, windowMs, clock }: SigningKeysOptions,
  first: (file: SigningKeyFile, now: number) => void,
): Promise<SigningKeyFile> {
  const now = clock();
  const change = (file: SigningKeyFile): SigningKeyFile => {
    first(file, now);
    file.keys =
      given === null ? issuingKeys(file.keys, now, windowMs) : retiredKeys(keptKeys(file.keys, now, windowMs), now);
    // A clock that is behind does not know of the last key.
    file.numberedSince ??= new Date(
      Math.max(now, ...file.keys.map(({ createdAt }) => Date.parse(createdAt))),
    ).toISOString();
    return file;
  };
  return signingKeyStore(dataDir, cluster).change(change).catch(damaged);
}

/**
 * @param before what held until now: an installation stays what it was at the start, whoever else uses the directory
 * @param issuing goes on issuing in place of the newest
 */
function ringFrom(
  file: SigningKeyFile,
  options: SigningKeysOptions,
  before?: SigningRing,
  issuing?: SigningKey,
): SigningRing {
  const { given = null, windowMs, clock } = options;
  const stored = verifyingKeys(file.keys, clock(), windowMs).map(keyOf);
  const [first, ...others] = [...(given ?? []), ...(issuing === undefined ? [] : [issuing]), ...stored];
  // An edit by hand may have taken all keys away.
  if (first === undefined) throw new SigningKeysError('signing-keys.json holds no key');
  const { installations = [], numberedSince } = file;
  const installation = before?.installation ?? installations[0]?.id;
  return createSigningRing({
    keys: [first, ...others],
    ...(installation === undefined ? {} : { installation }),
    answeredUntil: [
      ...answeredUntil(installations),
      ...(numberedSince === undefined ? [] : [['', answeredWithoutUntil(numberedSince)] as const]),
    ],
  });
}

function damaged(error: unknown): never {
  if (!(error instanceof DamagedStoreError)) throw error;
  throw new SigningKeysError(
    `${error.path} is damaged: restore it from a copy, or ads answered before now can no longer be billed`,
    { cause: error },
  );
}
