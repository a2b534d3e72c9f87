import path from 'node:path';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { ClusterStore } from './cluster-store.js';
import { FileStore } from './file-store.js';
import type { Parse, SharedStore } from './shared-store.js';

/** Where a store's content lies. */
export interface StorePlace<T> {
  readonly dataDir: string;
  /** Its name there, such as `keys.json`. */
  readonly name: string;
  readonly empty: T;
  readonly parse: Parse<T>;
  /** The nodes that share it; none: this DATA_DIR is all there is. */
  readonly cluster?: Cluster | null | undefined;
}

/** A store in its file, or in the database of the nodes that share it. */
export function openStore<T>({ dataDir, name, empty, parse, cluster }: StorePlace<T>): SharedStore<T> {
  if (cluster) return new ClusterStore<T>(cluster, name, empty, parse);
  return new FileStore<T>(path.join(dataDir, name), empty, parse);
}
