import { type Cluster, openCluster } from './cluster.js';
import { refuseCopy } from './copy-mark.js';

/** Where the data lie, by the settings. */
export interface DataSettings {
  readonly dataDir: string;
  /** Null: DATA_DIR is all there is. */
  readonly databaseUrl: string | null;
}

/**
 * Does a command's work with what the nodes share, where they share anything, and leaves it.
 *
 * @throws whatever `work` throws, or Error that says why DATABASE_URL or DATA_DIR cannot be used
 */
export async function withCluster<R>(
  { dataDir, databaseUrl }: DataSettings,
  work: (cluster: Cluster | null) => Promise<R>,
): Promise<R> {
  if (databaseUrl === null) {
    refuseCopy(dataDir);
    return work(null);
  }
  const cluster = await openCluster({ url: databaseUrl, dataDir });
  try {
    return await work(cluster);
  } finally {
    await cluster.close();
  }
}
