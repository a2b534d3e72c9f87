import { isPartyKind, type Party } from '../domain/party.js';
import { equalSecrets } from '../domain/secrets.js';
import { keyState } from '../keys/key-file.js';
import { keyDigest } from '../keys/key.js';
import { followStore } from '../stores/followed-store.js';
import type { SharedStore } from '../stores/shared-store.js';
import { ADMIN_TOKEN, type AccessFile, type Role, type StoredAccessToken } from './access-file.js';
import { noteUses } from './note-uses.js';

/** The holder of an access token, or of the setting ADMIN_TOKEN: an operator, an advertiser or a publisher. */
export interface Operator {
  readonly name: string;
  readonly role: Role;
  /** The advertiser or publisher whose figures are all that the holder may see; null: an operator. */
  readonly party: Party | null;
  /** Identifies the token, and gives no access: its digest, or `ADMIN_TOKEN`. */
  readonly tokenId: string;
}

/** Whose a presented token is, or why it is refused. */
export type AccessCheck =
  | { readonly valid: true; readonly operator: Operator }
  | { readonly valid: false; readonly fault: 'unknown' | 'expired' };

/** The access tokens in force. Changes take effect within about a second. */
export interface Access {
  check(token: string): AccessCheck;
  /** Returns the holder of the token with which a session was opened; undefined once it is revoked or expired. */
  find(tokenId: string): Operator | undefined;
  close(): Promise<void>;
}

export interface OpenAccessOptions {
  readonly store: SharedStore<AccessFile>;
  /** The administration token of the setting, or the one that is kept in DATA_DIR. */
  readonly adminToken: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: { warn(details: object, message: string): void; error(details: object, message: string): void };
  /** Poll interval of the file, in milliseconds. */
  readonly pollMs?: number;
}

/**
 * Opens the access tokens, follows their file, and notes there when each is used. If the file later disappears or is
 * damaged, this is logged and the last good content stays in force.
 *
 * @throws DamagedStoreError when the file is damaged at the start
 */
export async function openAccess({ store, adminToken, clock, log, pollMs = 1000 }: OpenAccessOptions): Promise<Access> {
  // Each note of a use would be logged as a change; the audit log has the others.
  const faults = { info: () => undefined, error: log.error.bind(log) };
  const followed = await followStore({ store, log: faults, name: 'access tokens', pollMs });
  const uses = noteUses({ store, clock, log });
  const admin: Operator = { name: ADMIN_TOKEN, role: 'admin', party: null, tokenId: ADMIN_TOKEN };

  const checkStored = (stored: StoredAccessToken | undefined): AccessCheck => {
    if (stored === undefined) return { valid: false, fault: 'unknown' };
    if (keyState({ ...stored, deactivatedAt: null }, clock()) === 'expired') return { valid: false, fault: 'expired' };
    uses.note(stored);
    return { valid: true, operator: operatorOf(stored) };
  };
  const withDigest = (sha256: string) => followed.current.tokens.find((token) => token.sha256 === sha256);
  return {
    check(token) {
      if (equalSecrets(token, adminToken)) return { valid: true, operator: admin };
      return checkStored(withDigest(keyDigest(token)));
    },
    find(tokenId) {
      if (tokenId === ADMIN_TOKEN) return admin;
      const checked = checkStored(withDigest(tokenId));
      return checked.valid ? checked.operator : undefined;
    },
    async close() {
      await followed.close();
      await uses.close();
    },
  };
}

function operatorOf({ name, role, party, sha256 }: StoredAccessToken): Operator {
  // The file is refused if the name is missing.
  return { name, role, party: isPartyKind(role) ? { kind: role, name: party! } : null, tokenId: sha256 };
}
