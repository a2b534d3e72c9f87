import path from 'node:path';
import type { Cluster } from '../../platform/cluster/cluster.js';
import { changeDocument } from '../../platform/cluster/documents.js';
import { FileStore } from './file-store.js';
import { type BeforeWrite, DamagedStoreError, type Parse, type SharedStore } from './shared-store.js';

/**
 * A JSON document in the database. Changes go to the database; reads use this node's copy in DATA_DIR, so they never
 * wait. While the copy cannot be written, on a full disk for instance, they use what was read from the database: a
 * takedown must not wait for space.
 */
export class ClusterStore<T> implements SharedStore<T> {
  readonly path: string;
  readonly #copy: FileStore<T>;

  constructor(
    private readonly cluster: Cluster,
    private readonly name: string,
    private readonly empty: T,
    private readonly parse: Parse<T>,
  ) {
    this.path = path.join(cluster.dataDir, name);
    this.#copy = new FileStore<T>(this.path, empty, parse);
  }

  async stamp(): Promise<string> {
    const unwritten = this.cluster.unwritten(this.name);
    return unwritten === undefined ? this.#copy.stamp() : `version ${unwritten.version}`;
  }

  async read(): Promise<T> {
    const unwritten = this.cluster.unwritten(this.name);
    return unwritten === undefined ? this.#copy.read() : this.#contentOf(unwritten.content);
  }

  change<R>(change: (data: T) => R, beforeWrite?: BeforeWrite<T>): Promise<R> {
    return changeDocument(this.cluster, this.name, async (text, transaction) => {
      const content = this.#contentOf(text);
      const before = JSON.stringify(content);
      const result = change(content);
      const data = this.parse(content);
      if (JSON.stringify(data) === before) return { text, result };
      await beforeWrite?.(JSON.parse(before) as T, data, transaction);
      return { text: `${JSON.stringify(data, null, 2)}\n`, result };
    });
  }

  #contentOf(text: string | null): T {
    if (text === null) return structuredClone(this.empty);
    try {
      return this.parse(JSON.parse(text));
    } catch (error) {
      throw new DamagedStoreError(`${this.name} in the database`, error);
    }
  }
}
