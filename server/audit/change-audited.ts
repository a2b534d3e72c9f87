import type { Actor } from '../../models/audit/actor.js';
import { type AuditEntry, recordAudit, recordFailure } from '../../models/audit/audit-log.js';
import type { DataLocation } from '../../platform/cluster/data-location.js';
import type { SubjectChange } from '../../models/audit/changes-between.js';
import { contentDigest } from './content-digest.js';
import type { SharedStore } from '../stores/shared-store.js';

/** An action, by whom it is done, and when (epoch milliseconds). */
export interface AuditedAction extends DataLocation {
  readonly by: Actor;
  readonly action: string;
  readonly now: number;
}

/**
 * Changes a store and records the changes. Under the store's lock, the entries are written to the disk before the store
 * is, so that no change goes unrecorded. If the store then cannot be written, another entry says so. In a database,
 * entries and change are one transaction.
 *
 * @param describe lists the differences between the content before and after
 * @param auditedPart selects what the log covers, by which a change is recognised later; by default all of the content
 * @throws whatever the store throws, or Error when the entries cannot be written
 */
export async function changeAudited<T, R>(
  store: SharedStore<T>,
  audited: AuditedAction,
  describe: (before: T, after: T) => readonly SubjectChange[],
  change: (data: T) => R,
  auditedPart: (data: T) => unknown = (data) => data,
): Promise<R> {
  let recorded: readonly AuditEntry[] = [];
  try {
    return await store.change(change, async (before, after, within) => {
      const content = contentDigest(auditedPart(after));
      const entries = entriesOf(audited, describe(before, after)).map((entry) => ({ ...entry, content }));
      await recordAudit(audited, entries, within);
      // A transaction that fails takes its entries back.
      if (within === null) recorded = entries;
    });
  } catch (error) {
    await recordFailure(audited, recorded, error);
    throw error;
  }
}

/** Records an action, then does it. If it fails, records it again with the reason. */
export async function doAudited<R>(
  audited: AuditedAction,
  changes: readonly SubjectChange[],
  act: () => R | Promise<R>,
): Promise<R> {
  const entries = entriesOf(audited, changes);
  await recordAudit(audited, entries);
  try {
    return await act();
  } catch (error) {
    await recordFailure(audited, entries, error);
    throw error;
  }
}

function entriesOf({ by, action, now }: AuditedAction, changes: readonly SubjectChange[]): AuditEntry[] {
  return changes.map(({ subject, fields }) => ({ at: new Date(now).toISOString(), by, action, subject, fields }));
}
