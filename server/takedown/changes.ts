import { changesBetween, type SubjectChange } from '../../models/audit/changes-between.js';
import { listSnapshots } from '../../models/snapshot/kept-snapshots.js';
import { readCreatives } from '../../models/snapshot/read-creatives.js';
import { changeAudited, type AuditedAction } from '../audit/change-audited.js';
import { suggestNames } from '../domain/names.js';
import { printable } from '../../models/text/printable.js';
import { takedownStore, type Takedown, type TakedownFile } from './takedown-file.js';

/** A takedown that cannot be made or ended. The message says why. */
export class TakedownError extends Error {
  override readonly name = 'TakedownError';
}

/** A takedown, and the live creatives that bear one of its images and so keep it. */
export interface TakenDown {
  readonly takedown: Takedown;
  readonly sharedWith: readonly string[];
}

/**
 * Takes a creative down: a running server no longer answers it, nor leads to its landing page, nor shows its image, within a
 * second. A new reason takes the place of the old one. Who did it is recorded.
 *
 * @param reason undefined: none is given, and an earlier one stays
 * @throws TakedownError, DamagedStoreError
 */
export async function takeDown(audited: AuditedAction, id: string, reason: string | undefined): Promise<TakenDown> {
  const { dataDir, cluster = null, now } = audited;
  if (reason !== undefined && reason.length > 500) throw new TakedownError('a reason has 500 characters at most');
  const snapshots = await listSnapshots(dataDir);
  const kept = await Promise.all(
    // What cannot be read cannot go live again either.
    snapshots.map(async (snapshot) => ({
      ...snapshot,
      creatives: await readCreatives(dataDir, snapshot.id).catch(() => []),
    })),
  );
  const bears = kept.flatMap(({ creatives }) => creatives.filter((creative) => creative.id === id));
  const images = bears.flatMap(({ imageFile }) => imageFile ?? []);
  const takedown = await changeAudited(takedownStore(dataDir, cluster), audited, takedownChanges, (file) => {
    let known = file.creatives.find((each) => each.id === id);
    if (known === undefined) {
      file.creatives.push((known = { id, reason: null, at: new Date(now).toISOString(), images: [] }));
    }
    known.reason = reason?.trim() || known.reason;
    known.images = [...new Set([...known.images, ...images])];
    return structuredClone(known);
  });
  const down = new Set((await takedownStore(dataDir).read()).creatives.map((each) => each.id));
  const live = kept.find((snapshot) => snapshot.live)?.creatives ?? [];
  const sharing = live.filter(
    (creative) => !down.has(creative.id) && takedown.images.includes(creative.imageFile ?? ''),
  );
  return { takedown, sharedWith: sharing.map((creative) => creative.id) };
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
