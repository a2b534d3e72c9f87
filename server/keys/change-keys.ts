import { changesBetween, type SubjectChange } from '../../models/audit/changes-between.js';
import { changeAudited, type AuditedAction } from '../audit/change-audited.js';
import type { SharedStore } from '../stores/shared-store.js';
import type { KeyFile } from './key-file.js';

/**
 * Changes the key file and records who changed which key or publisher.
 *
 * @throws DamagedStoreError, or whatever `change` throws
 */
export function changeKeys<R>(
  store: SharedStore<KeyFile>,
  audited: AuditedAction,
  change: (file: KeyFile) => R,
): Promise<R> {
  return changeAudited(store, audited, keyChanges, change);
}

/**
 * Lists the changes of keys and publishers. Leaves out a key's digest, which means nothing to a reader, and its id,
 * which is its name.
 */
export function keyChanges(before: KeyFile, after: KeyFile): SubjectChange[] {
  const keys = { before: before.keys, after: after.keys, except: ['id', 'sha256'] };
  const publishers = { before: before.publishers, after: after.publishers, except: ['name'] };
  return [
    ...changesBetween({ kind: 'key', ...keys, nameOf: ({ id }) => id }),
    ...changesBetween({ kind: 'publisher', ...publishers, nameOf: ({ name }) => name }),
  ];
}
