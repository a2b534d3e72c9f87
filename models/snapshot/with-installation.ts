import type { Cluster } from '../../platform/cluster/cluster.js';
import { type DataSettings, withCluster } from '../../platform/cluster/with-cluster.js';
import { fetchCatalogue } from './fetch-catalogue.js';

/**
 * Runs `work` as `withCluster` does, for a command that also reads the catalogue: it brings DATA_DIR's catalogue up to
 * date first.
 */
export function withInstallation<R>(settings: DataSettings, work: (cluster: Cluster | null) => Promise<R>): Promise<R> {
  return withCluster(settings, async (cluster) => {
    if (cluster !== null) await fetchCatalogue(cluster);
    return work(cluster);
  });
}
