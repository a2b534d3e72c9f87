import { Type, type Static } from '#typebox';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { checker, requireValid } from '../../models/schema/check.js';
import { tidyName } from '../../models/text/tidy-name.js';
import { openStore } from '../stores/open-store.js';
import type { SharedStore } from '../stores/shared-store.js';

const Moment = Type.String({ format: 'date-time' });
const Labels = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 1000 });
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });

/** A key as stored, without the key itself. It stops working at `expiresAt` or `deactivatedAt`. */
const StoredPublisherKey = Type.Object({
  id: Type.String({ pattern: '^key_[0-9A-Za-z]+$' }),
  publisher: Name,
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  test: Type.Boolean(),
  /** Whose events count; absent: `server`. */
  mode: Type.Optional(Type.Union([Type.Literal('server'), Type.Literal('browser')])),
  /** Origins allowed to send it; empty: any. */
  origins: Labels,
  requestsPerMinute: Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000 }), Type.Null()]),
  createdAt: Moment,
  expiresAt: Type.Union([Moment, Type.Null()]),
  deactivatedAt: Type.Union([Moment, Type.Null()]),
  /** The key that replaced it by rotation. */
  rotatedTo: Type.Optional(Type.String()),
});
export type StoredPublisherKey = Static<typeof StoredPublisherKey>;

/** Returns a key's state at a moment (epoch milliseconds). */
export function keyState(
  { deactivatedAt, expiresAt }: Pick<StoredPublisherKey, 'deactivatedAt' | 'expiresAt'>,
  now: number,
): 'active' | 'expired' | 'deactivated' {
  if (deactivatedAt !== null && Date.parse(deactivatedAt) <= now) return 'deactivated';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'active';
}

/** A publisher's settings, shared by all its keys. */
const PublisherSettings = Type.Object({
  name: Name,
  floor: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()]),
  blockedCategories: Labels,
  blockedAdvertisers: Labels,
  allowedTopics: Labels,
  /** Primary subtags; absent: none. */
  foreignLanguages: Type.Optional(Labels),
});
export type PublisherSettings = Static<typeof PublisherSettings>;

const KeyFile = Type.Object({
  version: Type.Literal(1),
  publishers: Type.Array(PublisherSettings),
  keys: Type.Array(StoredPublisherKey),
});
export type KeyFile = Static<typeof KeyFile>;

/** Opens `DATA_DIR/keys.json`, which an operator may also edit by hand, or the shared document of that name. */
export function keyStore(dataDir: string, cluster?: Cluster | null): SharedStore<KeyFile> {
  return openStore<KeyFile>({
    dataDir,
    name: 'keys.json',
    empty: { version: 1, publishers: [], keys: [] },
    parse,
    cluster,
  });
}

/** Returns the default settings of a publisher. */
export function defaultSettings(name: string): PublisherSettings {
  return { name, floor: null, blockedCategories: [], blockedAdvertisers: [], allowedTopics: [] };
}

/** Returns every publisher that has a key or settings, each once. */
export function publisherNames({ publishers, keys }: KeyFile): string[] {
  return [...new Set([...publishers.map(({ name }) => name), ...keys.map(({ publisher }) => publisher)])];
}

const check = checker(KeyFile);

function parse(value: unknown): KeyFile {
  const file = requireValid(check(value));
  const { keys, publishers } = file;
  const twice = repeated(keys.map(({ id }) => id)) ?? repeated(keys.map(({ sha256 }) => sha256));
  if (twice !== undefined) throw new Error(`${twice} appears twice in the keys`);
  const name = repeated(publishers.map((publisher) => publisher.name));
  if (name !== undefined) throw new Error(`${name} appears twice in the publishers`);
  return { ...file, publishers: publishers.map(withTidyNames) };
}

/** Normalises blocked names like names in feeds, so that names blocked in another spelling stay blocked. */
function withTidyNames(publisher: PublisherSettings): PublisherSettings {
  return {
    ...publisher,
    blockedCategories: tidyNames(publisher.blockedCategories),
    blockedAdvertisers: tidyNames(publisher.blockedAdvertisers),
  };
}

/** Normalises names and drops blank ones: writing a file with an empty name would be refused. */
function tidyNames(names: readonly string[]): string[] {
  return names.map(tidyName).filter((name) => name !== '');
}

/** Returns the first value that was there before. */
export function repeated(values: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return values.find((value, index) => seen.add(value).size <= index);
}
