import { changesBetween, type SubjectChange } from '../../models/audit/changes-between.js';
import { isDamage } from '../../models/snapshot/snapshot-fault.js';
import type { Creative } from '../../models/schema/creative.js';
import { listSnapshots } from '../../models/snapshot/kept-snapshots.js';
import { readCreatives } from '../../models/snapshot/read-creatives.js';
import { inBatches } from '../../platform/time/in-batches.js';
import { changeAudited, type AuditedAction } from '../audit/change-audited.js';
import { suggestNames } from '../domain/names.js';
import { printable } from '../../platform/text/printable.js';
import type { SharedStore } from '../stores/shared-store.js';
import { takedownStore, type Takedown, type TakedownFile } from './takedown-file.js';

/** A takedown that cannot be made or ended. The message says why. */
export class TakedownError extends Error {
  override readonly name = 'TakedownError';
}

/** The creative is taken down, but some of its images may still be shown. The message says so, and why. */
export class ImagesNotTakenDownError extends Error {
  override readonly name = 'ImagesNotTakenDownError';
  constructor(id: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${printable(id)} is taken down, but its images may not be: ${why}; take it down once more`, { cause });
  }
}

/** A takedown, and the live creatives that have one of its images, which therefore stays. */
export interface TakenDown {
  readonly takedown: Takedown;
  readonly sharedWith: readonly string[];
}

/**
 * Takes a creative down: within a second, a running server stops serving it, redirecting to its landing page and
 * showing its image. A new reason replaces the old one. The audit log gets one entry, with the person. The takedown is
 * in force before its images are looked for, since that takes a while in large catalogues.
 *
 * @param reason undefined: none is given, and an earlier one stays
 * @throws TakedownError, DamagedStoreError; ImagesNotTakenDownError after the creative is down
 */
export async function takeDown(audited: AuditedAction, id: string, reason: string | undefined): Promise<TakenDown> {
  const { dataDir, cluster = null, now } = audited;
  if (reason !== undefined && reason.length > 500) throw new TakedownError('a reason has 500 characters at most');
  const store = takedownStore(dataDir, cluster);
  const down = await changeTakedowns(store, audited, (file) => {
    let known = file.creatives.find((each) => each.id === id);
    if (known === undefined) {
      file.creatives.push((known = { id, reason: null, at: new Date(now).toISOString(), images: [] }));
    }
    known.reason = reason?.trim() || known.reason;
    return structuredClone(known);
  });
  try {
    return await noteImages(store, dataDir, down);
  } catch (error) {
    throw new ImagesNotTakenDownError(id, error);
  }
}

/** Notes the images that a creative has, or had, in any kept snapshot. */
async function noteImages(store: SharedStore<TakedownFile>, dataDir: string, down: Takedown): Promise<TakenDown> {
  const images = new Set(down.images);
  const sharing: Creative[] = [];
  // The live snapshot, first in the list, is read last: all images must be known before looking for who shares them.
  for (const { id, live } of (await listSnapshots(dataDir)).toReversed()) {
    const creatives = await creativesOf(dataDir, id);
    await inBatches(creatives, (creative) => {
      if (creative.id === down.id && creative.imageFile !== null) images.add(creative.imageFile);
    });
    if (!live) continue;
    await inBatches(creatives, (creative) => {
      if (creative.id !== down.id && images.has(creative.imageFile ?? '')) sharing.push(creative);
    });
  }
  const takedown = await store.change((file) => {
    const known = file.creatives.find((each) => each.id === down.id);
    // The takedown was ended meanwhile.
    if (known === undefined) return down;
    known.images = [...new Set([...known.images, ...images])];
    return structuredClone(known);
  });
  const others = new Set((await store.read()).creatives.map((each) => each.id));
  return { takedown, sharedWith: sharing.map(({ id }) => id).filter((id) => !others.has(id)) };
}

/**
 * Reads a snapshot's creatives. A damaged snapshot counts as empty, since it cannot go live again either.
 *
 * @throws Error when the snapshot cannot be read just now
 */
async function creativesOf(dataDir: string, snapshot: string): Promise<readonly Creative[]> {
  try {
    return await readCreatives(dataDir, snapshot);
  } catch (error) {
    if (isDamage(error)) return [];
    throw error;
  }
}

/** Ends a takedown, and records who did. @throws TakedownError when the creative is not taken down */
export async function endTakedown(audited: AuditedAction, id: string): Promise<void> {
  await changeTakedowns(takedownStore(audited.dataDir, audited.cluster), audited, (file) => {
    const at = file.creatives.findIndex((each) => each.id === id);
    if (at === -1) {
      const near = suggestNames(
        id,
        file.creatives.map((each) => each.id),
      );
      throw new TakedownError(`"${printable(id)}" is not taken down; ${near}`);
    }
    file.creatives.splice(at, 1);
  });
}

function changeTakedowns<R>(
  store: SharedStore<TakedownFile>,
  audited: AuditedAction,
  change: (file: TakedownFile) => R,
): Promise<R> {
  return changeAudited(store, audited, takedownChanges, change, auditedTakedowns);
}

/** Returns which creatives were taken down or released. */
export function takedownChanges(before: TakedownFile, after: TakedownFile): SubjectChange[] {
  return changesBetween({
    kind: 'creative',
    before: auditedTakedowns(before),
    after: auditedTakedowns(after),
    nameOf: ({ id }) => id,
    except: ['id'],
  });
}

/**
 * Returns what the audit log covers: all but the images, which follow from the feed and which commands and server note
 * later.
 */
export function auditedTakedowns({ creatives }: TakedownFile) {
  return creatives.map(({ id, reason, at }) => ({ id, takenDownAt: at, ...(reason === null ? {} : { reason }) }));
}
