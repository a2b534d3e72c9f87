import type { Logger } from 'pino';
import { type Cluster, openCluster } from '../platform/cluster/cluster.js';
import { compareClocks } from '../platform/cluster/compare-clocks.js';
import { refuseCopy } from '../platform/cluster/copy-mark.js';
import { followCluster } from '../platform/cluster/follow.js';
import { oneAtATime } from '../platform/cluster/one-at-a-time.js';
import { createCatalogueRefresh, fetchImages } from '../models/snapshot/fetch-catalogue.js';
import type { Config } from './config/config.js';

/** The nodes that share a database with this one. */
export interface Nodes {
  readonly cluster: Cluster;
  /**
   * Milliseconds since the last complete copy of the shared data: at most about one second while the database answers
   * and the disk accepts writes.
   */
  silentMs(): number;
  /**
   * Fetches images immediately, those that nodes share. @throws Error when the database does not answer or the disk is
   * full
   */
  fetchImages(names: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Brings DATA_DIR up to date with the shared database and keeps it so.
 *
 * @returns null without a database
 * @throws Error that says why DATABASE_URL or DATA_DIR cannot be used
 */
export async function joinNodes(
  { dataDir, databaseUrl: url }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  log: Logger,
): Promise<Nodes | null> {
  if (url === null) {
    refuseCopy(dataDir);
    return null;
  }
  const cluster = await openCluster({ url, dataDir });
  const fetchNewer = oneAtATime(createCatalogueRefresh(cluster));
  try {
    // Meanwhile, the server uses the copy that an earlier run left in DATA_DIR.
    await fetchNewer().catch((error: unknown) => log.error({ err: error }, 'the catalogue cannot be fetched yet'));
    const looks = [cluster.refresh, fetchNewer, compareClocks(cluster.pool, log)];
    const following = await followCluster(cluster, { looks, log });
    return {
      cluster,
      silentMs: () => following.silentMs(),
      fetchImages: (names) => fetchImages(cluster, names),
      async close() {
        await following.close();
        await cluster.close();
      },
    };
  } catch (error) {
    await cluster.close();
    throw error;
  }
}
