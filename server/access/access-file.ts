import { Type, type Static } from '#typebox';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { checker, requireValid } from '../../models/schema/check.js';
import { nameKey } from '../../models/text/name-key.js';
import { isPartyKind, PARTY_KINDS } from '../domain/party.js';
import { repeated } from '../keys/key-file.js';
import { openStore } from '../stores/open-store.js';
import type { SharedStore } from '../stores/shared-store.js';

/** What the holder of an access token may do: everything, or what `role-routes.ts` lists for the role. */
export const ROLES = ['admin', 'viewer', ...PARTY_KINDS] as const;
export type Role = (typeof ROLES)[number];

/** The name of the setting's token, which is not in the file and always has the role `admin`. */
export const ADMIN_TOKEN = 'ADMIN_TOKEN';

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });
const Moment = Type.String({ format: 'date-time' });

/** An access token as stored, without the token itself. */
const StoredAccessToken = Type.Object(
  {
    /** Whose it is: a person or a program. */
    name: Name,
    role: Type.Enum([...ROLES]),
    /** The advertiser or publisher that it belongs to, if its role is one of these. */
    party: Type.Optional(Name),
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
  for (const { name, role, party } of file.tokens) requireParty(name, role, party);
  return file;
}

/**
 * Checks that a token belongs to an advertiser or publisher exactly if its role is one of these.
 *
 * @throws Error saying what is missing or too much
 */
export function requireParty(name: string, role: Role, party: string | undefined): void {
  if (isPartyKind(role) === (party !== undefined)) return;
  throw new Error(
    party === undefined
      ? `the access token of "${name}" needs the name of its ${role}`
      : `the access token of "${name}" has the role ${role}, and must not belong to anyone`,
  );
}
