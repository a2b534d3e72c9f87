import path from 'node:path';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { ClusterStore } from './cluster-store.js';
import { FileStore } from './file-store.js';
import type { Parse, SharedStore } from './shared-store.js';

/** Where a store keeps its content. */
export interface OpenStoreOptions<T> {
  readonly dataDir: string;
  /** Its file name there, such as `keys.json`. */
  readonly name: string;
  readonly empty: T;
  readonly parse: Parse<T>;
  /** The cluster that shares it; absent or null: only this DATA_DIR has it. */
  readonly cluster?: Cluster | null | undefined;
}

/** Opens a store in its file, or in the database of the nodes that share it. */
export function openStore<T>({ dataDir, name, empty, parse, cluster }: OpenStoreOptions<T>): SharedStore<T> {
  if (cluster) return new ClusterStore<T>(cluster, name, empty, parse);
  return new FileStore<T>(path.join(dataDir, name), empty, parse);
}
