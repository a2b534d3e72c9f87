const SHARDS = 256;
/** The last letters of a key, which differ most between ids that count upwards. */
const LETTERS = 12;

/**
 * A map by string for up to millions of entries, spread over many small maps: a `Map` of a million entries doubles its
 * table in one go, which blocks the event loop for some 80 ms.
 */
export class ShardedMap<V> {
  readonly #shards = Array.from({ length: SHARDS }, () => new Map<string, V>());

  get(key: string): V | undefined {
    return this.#shardOf(key).get(key);
  }

  has(key: string): boolean {
    return this.#shardOf(key).has(key);
  }

  set(key: string, value: V): void {
    this.#shardOf(key).set(key, value);
  }

  get size(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.size, 0);
  }

  #shardOf(key: string): Map<string, V> {
    let hash = 0;
    for (let at = Math.max(0, key.length - LETTERS); at < key.length; at++) {
      hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
    }
    // The higher bits too, since the last letter alone decides the lowest.
    return this.#shards[((hash >>> 16) ^ (hash >>> 8) ^ hash) & (SHARDS - 1)]!;
  }
}
