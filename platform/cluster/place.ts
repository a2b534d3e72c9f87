import type { Cluster } from './cluster.js';

/** Where an installation's data lie. */
export interface Place {
  readonly dataDir: string;
  /** The nodes that share them; absent or null: this DATA_DIR is all there is. */
  readonly cluster?: Cluster | null | undefined;
}
