import { nameKey } from '../../models/text/name-key.js';
import { suggestNames } from '../domain/names.js';
import { generateKey, keyDigest } from '../keys/key.js';
import { ADMIN_TOKEN, type AccessFile, requireParty, type Role, type StoredAccessToken } from './access-file.js';

/** A new access token: the stored record, and the token itself, which is shown once and not kept. */
export interface CreatedToken {
  readonly token: string;
  readonly stored: StoredAccessToken;
}

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  /** The advertiser or publisher whose figures it is for, exactly if the role is one of these. */
  readonly party?: string | undefined;
  /** Epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
}

/** A token does not exist, or its name is taken. The message says which and why. */
export class AccessChangeError extends Error {}

/** Adds a token. @throws AccessChangeError when there is one of that name, since the audit log shows names */
export function createToken(file: AccessFile, { name, role, party, expiresAt }: NewToken, now: number): CreatedToken {
  if (nameKey(name) === nameKey(ADMIN_TOKEN)) throw new AccessChangeError(`${ADMIN_TOKEN} is the setting's own name`);
  requireParty(name, role, party);
  const known = file.tokens.find((each) => nameKey(each.name) === nameKey(name));
  if (known !== undefined) throw new AccessChangeError(`"${known.name}" has a token; revoke it first`);
  const token = generateKey('access');
  const stored: StoredAccessToken = {
    name,
    role,
    ...(party === undefined ? {} : { party }),
    sha256: keyDigest(token),
    createdAt: new Date(now).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    lastUsedAt: null,
  };
  file.tokens.push(stored);
  return { token, stored };
}

/**
 * Changes a token's role, and whose figures it is for, also for sessions that were opened with it.
 *
 * @param party the advertiser or publisher, exactly if the role is one of these
 * @throws AccessChangeError when there is no such token
 */
export function setRole(file: AccessFile, name: string, role: Role, party?: string): StoredAccessToken {
  requireParty(name, role, party);
  const token = findToken(file, name);
  delete token.party;
  return Object.assign(token, { role }, party === undefined ? {} : { party });
}

/** Removes a token. @throws AccessChangeError when there is none of that name */
export function revokeToken(file: AccessFile, name: string): void {
  file.tokens.splice(file.tokens.indexOf(findToken(file, name)), 1);
}

function findToken({ tokens }: AccessFile, name: string): StoredAccessToken {
  const token = tokens.find((each) => each.name === name);
  if (token !== undefined) return token;
  const known = tokens.map((each) => each.name);
  throw new AccessChangeError(`there is no access token of "${name}"; ${suggestNames(name, known)}`);
}
