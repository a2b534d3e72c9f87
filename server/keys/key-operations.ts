import { suggestNames } from '../domain/names.js';
import type { KeyMode } from '../domain/publisher.js';
import {
  publisherNames,
  defaultSettings,
  type KeyFile,
  type PublisherSettings,
  type StoredPublisherKey,
} from './key-file.js';
import { keyDigest, generateKey, generateKeyId } from './key.js';

/** A new key: the stored record, and the key itself, which is shown once and not kept. */
export interface CreatedKey {
  readonly key: string;
  readonly stored: StoredPublisherKey;
}

/** The operator's choices for a new key. Times are epoch milliseconds. */
export interface NewKey {
  readonly publisher: string;
  readonly test: boolean;
  /** Absent: `server`. */
  readonly mode?: KeyMode;
  readonly origins: readonly string[];
  readonly requestsPerMinute: number | null;
  readonly expiresAt: number | null;
}

/** A key does not exist or can no longer be changed. The message says which and why. */
export class KeyChangeError extends Error {}

/** Adds a new key, and its publisher if the name is new. */
export function createKey(file: KeyFile, wanted: NewKey, now: number): CreatedKey {
  const made = buildKey(wanted, now);
  file.keys.push(made.stored);
  if (!file.publishers.some(({ name }) => name === wanted.publisher))
    file.publishers.push(defaultSettings(wanted.publisher));
  return made;
}

/** Creates a key without adding it to a file. */
export function buildKey(wishes: NewKey, now: number): CreatedKey {
  const key = generateKey();
  const stored: StoredPublisherKey = {
    id: generateKeyId(),
    publisher: wishes.publisher,
    sha256: keyDigest(key),
    test: wishes.test,
    ...(wishes.mode === undefined ? {} : { mode: wishes.mode }),
    origins: [...wishes.origins],
    requestsPerMinute: wishes.requestsPerMinute,
    createdAt: new Date(now).toISOString(),
    expiresAt: wishes.expiresAt === null ? null : new Date(wishes.expiresAt).toISOString(),
    deactivatedAt: null,
  };
  return { key, stored };
}

/**
 * Creates a key with the same rights. The old key stays valid for `overlapMs`, or until its own expiry if that is
 * sooner.
 *
 * @throws KeyChangeError when there is no such key, or it has expired, is deactivated or was rotated before
 */
export function rotateKey(file: KeyFile, id: string, overlapMs: number, now: number): CreatedKey {
  const old = findKey(file, id);
  if (old.deactivatedAt !== null) throw new KeyChangeError(`${id} is deactivated; create a new key instead`);
  const ends = old.expiresAt === null ? Infinity : Date.parse(old.expiresAt);
  if (ends <= now) throw new KeyChangeError(`${id} has expired; create a new key instead`);
  // Its expiry is the end of the overlap by now, not the expiry that a new key would inherit.
  if (old.rotatedTo !== undefined) {
    throw new KeyChangeError(`${id} was rotated already; rotate ${old.rotatedTo}, or create a new key`);
  }
  const made = createKey(file, { ...old, expiresAt: old.expiresAt === null ? null : ends }, now);
  old.expiresAt = new Date(Math.min(ends, now + overlapMs)).toISOString();
  old.rotatedTo = made.stored.id;
  return made;
}

/** Deactivates a key at once; a deactivated one stays as it is. @throws KeyChangeError when there is no such key */
export function deactivateKey(file: KeyFile, id: string, now: number): StoredPublisherKey {
  const key = findKey(file, id);
  key.deactivatedAt ??= new Date(now).toISOString();
  return key;
}

/** Changes whose events count for a key, from its next ad on. @throws KeyChangeError when there is no such key */
export function setMode(file: KeyFile, id: string, mode: KeyMode): StoredPublisherKey {
  return Object.assign(findKey(file, id), { mode });
}

/** Changes the given settings of a publisher. @throws KeyChangeError when no key was created for that name */
export function setPublisher(file: KeyFile, name: string, settings: Partial<PublisherSettings>): PublisherSettings {
  const publisher = file.publishers.find((each) => each.name === name);
  if (publisher !== undefined) return Object.assign(publisher, settings);
  const known = publisherNames(file);
  if (!known.includes(name)) {
    throw new KeyChangeError(
      `there is no publisher "${name}"; ${suggestNames(name, known)}; keys create --publisher makes one`,
    );
  }
  const added = { ...defaultSettings(name), ...settings };
  file.publishers.push(added);
  return added;
}

function findKey(file: KeyFile, id: string): StoredPublisherKey {
  const key = file.keys.find((each) => each.id === id);
  if (key === undefined) throw new KeyChangeError(`there is no key ${id}; keys list shows them`);
  return key;
}
