import type { Cluster } from '../../platform/cluster/cluster.js';
import { type DataSettings, withCluster } from '../../platform/cluster/with-cluster.js';
import { fetchCatalogue } from './fetch-catalogue.js';

/** The same as `withCluster`, for a command that reads the catalogue too: DATA_DIR has the present one. */
export function withInstallation<R>(settings: DataSettings, work: (cluster: Cluster | null) => Promise<R>): Promise<R> {
  return withCluster(settings, async (cluster) => {
    if (cluster !== null) await fetchCatalogue(cluster);
    return work(cluster);
  });
}
