import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { poll } from '../../platform/time/poll.js';
import type { LiveIndex } from '../live-index/live-index.js';
import { creativeMapsOf } from '../live-index/creative-maps.js';
import { type FollowLog, followStore } from '../stores/followed-store.js';
import type { SharedStore } from '../stores/shared-store.js';
import type { Takedown, TakedownFile } from './takedown-file.js';

/** The takedowns in force, which follow the file as it changes. */
export interface Takedowns {
  has(creativeId: string): boolean;
  /**
   * Returns whether an image is down: a creative that was taken down has or had it, and no other live creative has it.
   */
  hasImage(file: string): boolean;
  /** Reads the file now, for callers that know it has just been written. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface TakedownOptions {
  readonly store: SharedStore<TakedownFile>;
  readonly index: Pick<LiveIndex, 'current'>;
  readonly log: FollowLog;
}

const POLL_MS = 250;

/**
 * Follows the file of takedowns, and notes in it the images of taken-down creatives in each snapshot that goes live.
 *
 * @throws DamagedStoreError when the file is damaged at the start
 */
export async function openTakedowns({ store, index, log }: TakedownOptions): Promise<Takedowns> {
  let ids: ReadonlySet<string> = new Set();
  let noted: ReadonlySet<string> = new Set();
  const apply = ({ creatives }: TakedownFile): void => {
    ids = new Set(creatives.map(({ id }) => id));
    noted = new Set(creatives.flatMap(({ images }) => images));
  };
  const followed = await followStore({ store, onChange: apply, log, name: 'takedowns', pollMs: POLL_MS });
  apply(followed.current);

  const hasImage = (file: string): boolean => {
    if (ids.size === 0) return false;
    const snapshot = index.current();
    const live = snapshot === null ? [] : creativeMapsOf(snapshot).withImage(file);
    return live.length === 0 ? noted.has(file) : live.every(({ id }) => ids.has(id));
  };
  let looked: ServedSnapshot | null = null;
  /** Notes the images in the live snapshot, so that they stay down once their creatives have left the feed. */
  const learn = async (): Promise<void> => {
    const snapshot = index.current();
    if (snapshot === looked) return;
    if (snapshot !== null && newImages(followed.current, snapshot).length > 0) {
      await store.change((file) => {
        for (const { takedown, image } of newImages(file, snapshot)) takedown.images.push(image);
      });
    }
    looked = snapshot;
  };
  const learning = poll(learn, {
    everyMs: POLL_MS,
    restFactor: 9,
    onError: (error) => log.error({ err: error }, 'takedowns: images cannot be noted'),
  });
  return {
    has: (creativeId) => ids.has(creativeId),
    refresh: () => followed.refresh(),
    hasImage,
    async close() {
      await Promise.all([learning.close(), followed.close()]);
    },
  };
}

/** Returns images of live creatives that their takedowns do not list yet. */
function newImages({ creatives }: TakedownFile, snapshot: ServedSnapshot): { takedown: Takedown; image: string }[] {
  const { ids } = creativeMapsOf(snapshot);
  return creatives.flatMap((takedown) => {
    const image = ids.get(takedown.id)?.imageFile ?? null;
    return image === null || takedown.images.includes(image) ? [] : [{ takedown, image }];
  });
}
