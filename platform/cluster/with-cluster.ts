import { type Cluster, openCluster } from './cluster.js';
import { warnOfOtherOwner } from '../files/data-directory.js';
import { refuseCopy } from './copy-mark.js';

/** The settings that determine where the data are. */
export interface DataSettings {
  readonly dataDir: string;
  /** Null: only this DATA_DIR has the data. */
  readonly databaseUrl: string | null;
}

/**
 * Runs a command's work with the cluster if there is one, and closes it afterwards.
 *
 * @throws whatever `work` throws, or Error stating why DATABASE_URL or DATA_DIR cannot be used
 */
export async function withCluster<R>(
  { dataDir, databaseUrl }: DataSettings,
  work: (cluster: Cluster | null) => Promise<R>,
): Promise<R> {
  warnOfOtherOwner(dataDir, (line) => void process.stderr.write(line));
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
