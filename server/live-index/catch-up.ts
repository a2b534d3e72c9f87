import type { Cluster } from '../../platform/cluster/cluster.js';
import { coalesceWithDeadline } from '../../platform/cluster/looks-in-time.js';
import type { LiveIndex } from './live-index.js';

/**
 * What a node does before it says that it does not know something: it may not have heard yet of what another has published, or
 * taken down. Each call waits for two seconds at most; all calls for addresses together ask the database four times a second at
 * most, and so do all for images, whatever callers make up.
 */
export interface CatchUp {
  /** Learns where creatives lead, and what is taken down. @returns true once everything shared before the call is here; false: not in time */
  landingUrls(): Promise<boolean>;
  /**
   * Fetches an image, without the snapshot that came with it, and learns what is taken down.
   *
   * @param file its name, `<sha256>.<ext>`
   * @returns true once it is here if it was shared before the call; false: not in time
   */
  image(file: string): Promise<boolean>;
}

export interface CatchUpOptions {
  readonly nodes: {
    readonly cluster: Pick<Cluster, 'refresh'>;
    /** @throws Error when the database does not answer, or the disk is full */
    fetchImages(names: readonly string[]): Promise<void>;
  };
  readonly index: Pick<LiveIndex, 'learnLandingUrls'>;
  readonly takedowns: {
    /** Reads what is taken down from this node's disk now. */
    look(): Promise<void>;
  };
}

export function createCatchUp({ nodes, index, takedowns }: CatchUpOptions): CatchUp {
  const documents = async (): Promise<void> => {
    await nodes.cluster.refresh();
    await takedowns.look();
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
      await index.learnLandingUrls();
    }),
    image(file) {
      asked.add(file);
      return images();
    },
  };
}
