import { Type, type Static } from '#typebox';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { checker, requireValid } from '../../models/schema/check.js';
import { nameKey } from '../../models/text/name-key.js';
import { repeated } from '../keys/key-file.js';
import { openStore } from '../stores/open-store.js';
import type { SharedStore } from '../stores/shared-store.js';

/** What the holder of an access token may do: everything, or read what `viewer-routes.ts` lists. */
export const ROLES = ['admin', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** The name of the setting's token, which is not in the file and always has the role `admin`. */
export const ADMIN_TOKEN = 'ADMIN_TOKEN';

const Moment = Type.String({ format: 'date-time' });

/** An access token as stored, without the token itself. */
const StoredAccessToken = Type.Object(
  {
    /** Whose it is: a person or a program. */
    name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
    role: Type.Union([Type.Literal('admin'), Type.Literal('viewer')]),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    createdAt: Moment,
    expiresAt: Type.Union([Moment, Type.Null()]),
    /** Within ten minutes; null: never. */
    lastUsedAt: Type.Union([Moment, Type.Null()]),
  },
  { additionalProperties: false },
);
export type StoredAccessToken = Static<typeof StoredAccessToken>;

const AccessFile = Type.Object({
  version: Type.Literal(1),
  tokens: Type.Array(StoredAccessToken, { maxItems: 1000 }),
});
export type AccessFile = Static<typeof AccessFile>;

/** Opens `DATA_DIR/access-tokens.json`, or the shared document of that name. */
export function accessStore(dataDir: string, cluster?: Cluster | null): SharedStore<AccessFile> {
  return openStore<AccessFile>({
    dataDir,
    name: 'access-tokens.json',
    empty: { version: 1, tokens: [] },
    parse,
    cluster,
  });
}

const check = checker(AccessFile);

function parse(value: unknown): AccessFile {
  const file = requireValid(check(value));
  const names = [ADMIN_TOKEN, ...file.tokens.map(({ name }) => name)];
  const twice = repeated(names.map(nameKey)) ?? repeated(file.tokens.map(({ sha256 }) => sha256));
  if (twice !== undefined) throw new Error(`${twice} appears twice in the access tokens`);
  return file;
}
