import { changesBetween, type SubjectChange } from '../../models/audit/changes-between.js';
import { changeAudited, type AuditedAction } from '../audit/change-audited.js';
import { keyOf, type SigningKeyFile, signingKeyStore } from './stored-signing-keys.js';

/**
 * Changes the stored signing keys and records who changed which key, never its secret.
 *
 * @throws DamagedStoreError, or whatever `change` throws
 */
export function changeSigningKeys<R>(audited: AuditedAction, change: (file: SigningKeyFile) => R): Promise<R> {
  return changeAudited(signingKeyStore(audited.dataDir, audited.cluster), audited, signingKeyChanges, change);
}

function signingKeyChanges(before: SigningKeyFile, after: SigningKeyFile): SubjectChange[] {
  return changesBetween({
    kind: 'signing-key',
    before: before.keys,
    after: after.keys,
    nameOf: (key) => keyOf(key).id,
    except: ['secret'],
  });
}
