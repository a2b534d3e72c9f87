import { changesBetween, type SubjectChange } from '../../models/audit/changes-between.js';
import { changeAudited, type AuditedAction } from '../audit/change-audited.js';
import type { SharedStore } from '../stores/shared-store.js';
import type { KeyFile } from './key-file.js';

/** Changes the keys' file and records who changed which key or publisher. @throws whatever `change` throws, DamagedStoreError */
export function changeKeys<R>(
  store: SharedStore<KeyFile>,
  audited: AuditedAction,
  change: (file: KeyFile) => R,
): Promise<R> {
  return changeAudited(store, audited, keyChanges, change);
}

/** A key's digest says nothing to a reader, and its id is its name. */
export function keyChanges(before: KeyFile, after: KeyFile): SubjectChange[] {
  const keys = { before: before.keys, after: after.keys, except: ['id', 'sha256'] };
  const publishers = { before: before.publishers, after: after.publishers, except: ['name'] };
  return [
    ...changesBetween({ kind: 'key', ...keys, nameOf: ({ id }) => id }),
    ...changesBetween({ kind: 'publisher', ...publishers, nameOf: ({ name }) => name }),
  ];
}
