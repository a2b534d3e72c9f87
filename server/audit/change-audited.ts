import type { Actor } from '../../models/audit/actor.js';
import { type AuditEntry, recordAudit, recordFailure } from '../../models/audit/audit-log.js';
import type { Place } from '../../platform/cluster/place.js';
import type { SubjectChange } from '../../models/audit/changes-between.js';
import { contentDigest } from './content-digest.js';
import type { SharedStore } from '../stores/shared-store.js';

/** Who does what, and when (epoch milliseconds). */
export interface AuditedAction extends Place {
  readonly by: Actor;
  readonly action: string;
  readonly now: number;
}

/**
 * Changes a store and records what that changes: the entries are on the disk before the store is, under its lock, so that
 * nothing is changed without one. Where the store then cannot be written, another entry says so. In a database both hold or
 * neither does.
 *
 * @param describe what differs between the content before and after
 * @throws whatever the store throws, or Error when the entries cannot be written
 */
export async function changeAudited<T, R>(
  store: SharedStore<T>,
  audited: AuditedAction,
  describe: (before: T, after: T) => readonly SubjectChange[],
  change: (data: T) => R,
): Promise<R> {
  let recorded: readonly AuditEntry[] = [];
  try {
    return await store.change(change, async (before, after, within) => {
      const content = contentDigest(after);
      const entries = entriesOf(audited, describe(before, after)).map((entry) => ({ ...entry, content }));
      await recordAudit(audited, entries, within);
      // Those of a transaction are gone with it.
      if (within === null) recorded = entries;
    });
  } catch (error) {
    await recordFailure(audited, recorded, error);
    throw error;
  }
}

/** Does something that is recorded before, and again with the reason if it fails. */
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
