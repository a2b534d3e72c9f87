import type { Cluster } from '../../models/cluster/cluster.js';
import { looksInTime } from '../../models/cluster/looks-in-time.js';
import type { LiveIndex } from './live-index.js';

/**
 * What a node does before it says that it does not know something: it may not have heard yet of what another has published.
 * Each waits for two seconds at most, and together they ask the database four times a second at most, whatever callers make up.
 */
export interface CatchUp {
  /** Learns where creatives lead. @returns whether all that nodes shared before is known; false: not in time */
  landingUrls(): Promise<boolean>;
  /** Fetches images. @returns whether all that nodes shared before are here; false: not in time */
  images(): Promise<boolean>;
}

export interface CatchUpOptions {
  readonly nodes: {
    readonly cluster: Pick<Cluster, 'refresh'>;
    /** @throws Error when the database does not answer, or the disk is full */
    fetchCatalogue(): Promise<void>;
  };
  readonly index: Pick<LiveIndex, 'learnLandingUrls'>;
}

export function createCatchUp({ nodes, index }: CatchUpOptions): CatchUp {
  return {
    landingUrls: looksInTime(async () => {
      await nodes.cluster.refresh();
      await index.learnLandingUrls();
    }),
    images: looksInTime(nodes.fetchCatalogue),
  };
}
