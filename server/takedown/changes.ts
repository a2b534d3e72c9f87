import { changesBetween, type SubjectChange } from '../../models/audit/changes-between.js';
import { isDamage } from '../../models/snapshot/snapshot-fault.js';
import type { Creative } from '../../models/schema/creative.js';
import { listSnapshots } from '../../models/snapshot/kept-snapshots.js';
import { readCreatives } from '../../models/snapshot/read-creatives.js';
import { inTurns } from '../../platform/time/in-turns.js';
import { changeAudited, type AuditedAction } from '../audit/change-audited.js';
import { suggestNames } from '../domain/names.js';
import { printable } from '../../platform/text/printable.js';
import type { SharedStore } from '../stores/shared-store.js';
import { takedownStore, type Takedown, type TakedownFile } from './takedown-file.js';

/** A takedown that cannot be made or ended. The message says why. */
export class TakedownError extends Error {
  override readonly name = 'TakedownError';
}

/** A creative is taken down, but not all of its images may be. The message says so, and why. */
export class ImagesNotTakenError extends Error {
  override readonly name = 'ImagesNotTakenError';
  constructor(id: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${printable(id)} is taken down, but its images may not be: ${why}; take it down once more`, { cause });
  }
}

/** A takedown, and the live creatives that bear one of its images and so keep it. */
export interface TakenDown {
  readonly takedown: Takedown;
  readonly sharedWith: readonly string[];
}

/**
 * Takes a creative down: a running server no longer answers it, nor leads to its landing page, nor shows its image, within a
 * second. A new reason takes the place of the old one. Who did it is recorded. It holds before its images are looked for, which
 * of large catalogues takes a while.
 *
 * @param reason undefined: none is given, and an earlier one stays
 * @throws TakedownError, DamagedStoreError; ImagesNotTakenError once it is down
 */
export async function takeDown(audited: AuditedAction, id: string, reason: string | undefined): Promise<TakenDown> {
  const { dataDir, cluster = null, now } = audited;
  if (reason !== undefined && reason.length > 500) throw new TakedownError('a reason has 500 characters at most');
  const store = takedownStore(dataDir, cluster);
  const down = await changeAudited(store, audited, takedownChanges, (file) => {
    let known = file.creatives.find((each) => each.id === id);
    if (known === undefined) {
      file.creatives.push((known = { id, reason: null, at: new Date(now).toISOString(), images: [] }));
    }
    known.reason = reason?.trim() || known.reason;
    return structuredClone(known);
  });
  try {
    return await takeImages(store, audited, down);
  } catch (error) {
    throw new ImagesNotTakenError(id, error);
  }
}

/** Notes the images that a creative has, or had, in any kept snapshot. */
async function takeImages(
  store: SharedStore<TakedownFile>,
  audited: AuditedAction,
  down: Takedown,
): Promise<TakenDown> {
  const { dataDir } = audited;
  const images = new Set(down.images);
  const sharing: Creative[] = [];
  // One at a time, and the live one, which stands first, last: who shares an image is known once all of them are.
  for (const { id, live } of (await listSnapshots(dataDir)).toReversed()) {
    const creatives = await creativesOf(dataDir, id);
    await inTurns(creatives, (creative) => {
      if (creative.id === down.id && creative.imageFile !== null) images.add(creative.imageFile);
    });
    if (!live) continue;
    await inTurns(creatives, (creative) => {
      if (creative.id !== down.id && images.has(creative.imageFile ?? '')) sharing.push(creative);
    });
  }
  // A second entry says how many there are: an edit by hand is whatever content no entry has announced.
  const takedown = await changeAudited(store, audited, imageChanges, (file) => {
    const known = file.creatives.find((each) => each.id === down.id);
    // Somebody has let it run again.
    if (known === undefined) return down;
    known.images = [...new Set([...known.images, ...images])];
    return structuredClone(known);
  });
  const others = new Set((await store.read()).creatives.map((each) => each.id));
  return { takedown, sharedWith: sharing.map(({ id }) => id).filter((id) => !others.has(id)) };
}

/** What is damaged names nothing, and cannot go live again either. @throws Error where it cannot be read just now */
async function creativesOf(dataDir: string, snapshot: string): Promise<readonly Creative[]> {
  try {
    return await readCreatives(dataDir, snapshot);
  } catch (error) {
    if (isDamage(error)) return [];
    throw error;
  }
}

/** Lets a creative run again, and records who did. @throws TakedownError when it was not taken down */
export async function endTakedown(audited: AuditedAction, id: string): Promise<void> {
  await changeAudited(takedownStore(audited.dataDir, audited.cluster), audited, takedownChanges, (file) => {
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

/** How many images went with which creatives. */
function imageChanges(before: TakedownFile, after: TakedownFile): SubjectChange[] {
  const counted = ({ creatives }: TakedownFile) => creatives.map(({ id, images }) => ({ id, images: images.length }));
  const lists = { before: counted(before), after: counted(after) };
  return changesBetween({ kind: 'creative', ...lists, nameOf: ({ id }) => id, except: ['id'] });
}

/** Which creatives were taken down or released. Their images follow from the feed: nobody sets them. */
export function takedownChanges(before: TakedownFile, after: TakedownFile): SubjectChange[] {
  return changesBetween({
    kind: 'creative',
    before: before.creatives.map(told),
    after: after.creatives.map(told),
    nameOf: ({ id }) => id,
    except: ['id'],
  });
}

function told({ id, reason, at }: Takedown) {
  return { id, takenDownAt: at, ...(reason === null ? {} : { reason }) };
}
