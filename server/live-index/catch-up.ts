import type { Cluster } from '../../platform/cluster/cluster.js';
import { coalesceWithDeadline } from '../../platform/cluster/coalesce-with-deadline.js';
import type { LiveIndex } from './live-index.js';

/**
 * Catches up with the other nodes before this one reports that something is unknown: it may not yet have what another
 * node has published or taken down. Each call waits for two seconds at most. All calls for landing URLs together
 * query the database four times a second at most, and so do all calls for images, regardless of what clients request.
 */
export interface CatchUp {
  /**
   * Updates landing URLs and takedowns.
   *
   * @returns true once everything that was shared before the call has arrived; false if it did not in time
   */
  landingUrls(): Promise<boolean>;
  /**
   * Fetches an image without the snapshot that uses it, and updates takedowns.
   *
   * @param file its name, `<sha256>.<ext>`
   * @returns true once the image has arrived, if it was shared before the call; false if it did not in time
   */
  image(file: string): Promise<boolean>;
}

export interface CatchUpOptions {
  readonly nodes: {
    readonly cluster: Pick<Cluster, 'refresh'>;
    /** @throws Error when the database does not respond, the disk is full, or an image arrives incomplete or damaged */
    fetchImages(names: readonly string[]): Promise<void>;
  };
  readonly index: Pick<LiveIndex, 'refreshLandingUrls'>;
  readonly takedowns: {
    /** Reads the current takedowns from this node's disk. */
    refresh(): Promise<void>;
  };
}

export function createCatchUp({ nodes, index, takedowns }: CatchUpOptions): CatchUp {
  const documents = async (): Promise<void> => {
    await nodes.cluster.refresh();
    await takedowns.refresh();
  };
  let asked = new Set<string>();
  const images = coalesceWithDeadline(async () => {
    const names = [...asked];
    asked = new Set();
    await documents();
    await nodes.fetchImages(names);
  });
  return {
    landingUrls: coalesceWithDeadline(async () => {
      await documents();
      await index.refreshLandingUrls();
    }),
    image(file) {
      asked.add(file);
      return images();
    },
  };
}
