const SHARDS = 256;
/**
 * By 16 bits of a hash: the number of a shard. The last shard has twice as many entries as the first, so that the
 * shards double one after another: those of equal size would all do so within a few turns of the event loop.
 */
const SHARD_OF_BITS = Uint8Array.from({ length: 1 << 16 }, (_, bits) => SHARDS * Math.log2(1 + bits / (1 << 16)));

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
  // Mixes all bits, since the last letters alone decide the lowest.
  hash = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1);
  return SHARD_OF_BITS[hash >>> 16]!;
}
