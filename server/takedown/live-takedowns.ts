import type { ServedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { poll } from '../../platform/time/poll.js';
import type { LiveIndex } from '../live-index/live-index.js';
import { namedCreatives } from '../live-index/named-creatives.js';
import { type FollowLog, followStore } from '../stores/followed-store.js';
import type { SharedStore } from '../stores/shared-store.js';
import type { Takedown, TakedownFile } from './takedown-file.js';

/** What was taken down, as the file changes. */
export interface Takedowns {
  has(creativeId: string): boolean;
  /** Whether an image is gone: one of a creative that was taken down, and of no other that is live. */
  hasImage(file: string): boolean;
  /** Reads the file now, where others have just written to it. */
  look(): Promise<void>;
  close(): Promise<void>;
}

export interface TakedownOptions {
  readonly store: SharedStore<TakedownFile>;
  readonly index: Pick<LiveIndex, 'current'>;
  readonly log: FollowLog;
}

const POLL_MS = 250;

/** @throws DamagedStoreError when the file is damaged at the start */
export async function openTakedowns({ store, index, log }: TakedownOptions): Promise<Takedowns> {
  let ids: ReadonlySet<string> = new Set();
  let images: { readonly of: TakedownFile; readonly snapshot: ServedSnapshot | null; readonly gone: Set<string> };
  const apply = (file: TakedownFile): void => {
    ids = new Set(file.creatives.map(({ id }) => id));
  };
  const followed = await followStore({ store, onChange: apply, log, name: 'takedowns', pollMs: POLL_MS });
  apply(followed.current);
  images = { of: followed.current, snapshot: null, gone: goneImages(followed.current, null) };

  const gone = (): ReadonlySet<string> => {
    const [of, snapshot] = [followed.current, index.current()];
    if (images.of !== of || images.snapshot !== snapshot) images = { of, snapshot, gone: goneImages(of, snapshot) };
    return images.gone;
  };
  /** An image that a creative bears only now is remembered for when it has left the feed. */
  let looked: ServedSnapshot | null = null;
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
    look: () => followed.look(),
    hasImage: (file) => ids.size > 0 && gone().has(file),
    async close() {
      await Promise.all([learning.close(), followed.close()]);
    },
  };
}

function goneImages({ creatives }: TakedownFile, snapshot: ServedSnapshot | null): Set<string> {
  const ids = new Set(creatives.map(({ id }) => id));
  const gone = new Set(creatives.flatMap(({ images }) => images));
  const live = snapshot?.creatives ?? [];
  for (const { id, imageFile } of live) if (imageFile !== null && ids.has(id)) gone.add(imageFile);
  for (const { id, imageFile } of live) if (imageFile !== null && !ids.has(id)) gone.delete(imageFile);
  return gone;
}

/** Images of live creatives that their takedowns do not name yet. */
function newImages({ creatives }: TakedownFile, snapshot: ServedSnapshot): { takedown: Takedown; image: string }[] {
  const { ids } = namedCreatives(snapshot);
  return creatives.flatMap((takedown) => {
    const image = ids.get(takedown.id)?.imageFile ?? null;
    return image === null || takedown.images.includes(image) ? [] : [{ takedown, image }];
  });
}
