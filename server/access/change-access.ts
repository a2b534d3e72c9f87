import { changesBetween, type SubjectChange } from '../../models/audit/changes-between.js';
import { changeAudited, type AuditedAction } from '../audit/change-audited.js';
import type { SharedStore } from '../stores/shared-store.js';
import type { AccessFile } from './access-file.js';

/**
 * Changes the access tokens and records who changed whose.
 *
 * @throws DamagedStoreError, or whatever `change` throws
 */
export function changeAccess<R>(
  store: SharedStore<AccessFile>,
  audited: AuditedAction,
  change: (file: AccessFile) => R,
): Promise<R> {
  return changeAudited(store, audited, accessChanges, change, auditedAccess);
}

/** Lists the changes of access tokens, without digests. */
export function accessChanges(before: AccessFile, after: AccessFile): SubjectChange[] {
  return changesBetween({
    kind: 'access-token',
    before: auditedAccess(before),
    after: auditedAccess(after),
    nameOf: ({ name }) => name,
    except: ['name', 'sha256'],
  });
}

/** Returns what the audit log covers: all but when a token was last used, which the server notes. */
export function auditedAccess({ tokens }: AccessFile) {
  return tokens.map(({ name, role, party, sha256, createdAt, expiresAt }) => ({
    name,
    role,
    ...(party === undefined ? {} : { party }),
    sha256,
    createdAt,
    expiresAt,
  }));
}
