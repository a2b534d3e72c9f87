import type { Cluster } from './cluster.js';

/** Where an installation keeps its data. */
export interface DataLocation {
  readonly dataDir: string;
  /** The cluster that shares the data; absent or null: only this DATA_DIR has them. */
  readonly cluster?: Cluster | null | undefined;
}
