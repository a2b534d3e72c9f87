const SHARDS = 256;

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

  delete(key: string): void {
    this.#shardOf(key).delete(key);
  }

  get size(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.size, 0);
  }

  #shardOf(key: string): Map<string, V> {
    return this.#shards[shardOf(key)]!;
  }
}

/** Returns the number of a key's shard, from 0. All letters count: ids may have long beginnings or ends in common. */
export function shardOf(key: string): number {
  let hash = 0;
  for (let at = 0; at < key.length; at++) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
  // The higher bits too, since the last letter alone decides the lowest.
  return ((hash >>> 16) ^ (hash >>> 8) ^ hash) & (SHARDS - 1);
}
