import type { Logger } from 'pino';
import { type Cluster, openCluster } from '../models/cluster/cluster.js';
import { clockAhead } from '../models/cluster/clock-ahead.js';
import { refuseCopy } from '../models/cluster/copy-mark.js';
import { followCluster } from '../models/cluster/follow.js';
import { oneAtATime } from '../models/cluster/one-at-a-time.js';
import { createCatalogueRefresh, fetchImages } from '../models/snapshot/fetch-catalogue.js';
import type { Config } from './config/config.js';

/** The nodes that share a database with this one. */
export interface Nodes {
  readonly cluster: Cluster;
  /** How long ago the database answered last, in milliseconds. */
  silentMs(): number;
  /** Fetches images now, as far as nodes share them. @throws Error when the database does not answer, or the disk is full */
  fetchImages(names: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Brings DATA_DIR up to date, and keeps it so.
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
    // What DATA_DIR has of an earlier run serves meanwhile.
    await fetchNewer().catch((error: unknown) => log.error({ err: error }, 'the catalogue cannot be fetched yet'));
    const looks = [cluster.refresh, fetchNewer, clockLook(cluster, log)];
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

/** Ads and events are dated by each node's clock: those of one that is ahead are not taken by the others. */
const MOST_APART_MS = 60_000;

/** Warns once while the machine's clock and the database's are apart: which of them is wrong, it cannot know. */
function clockLook({ pool }: Cluster, log: Logger): () => Promise<void> {
  let apart = false;
  return async () => {
    const aheadMs = Math.round(await clockAhead(pool));
    const isApart = Math.abs(aheadMs) > MOST_APART_MS;
    if (isApart && !apart) log.warn({ aheadMs }, 'the machine’s clock is not the database’s');
    if (!isApart && apart) log.info('the machine’s clock and the database’s agree again');
    apart = isApart;
  };
}
