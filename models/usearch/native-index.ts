import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * usearch's addon without its JavaScript wrapper. The wrapper converts 8-bit vectors to floats, and the addon then
 * quantises them again with a scale that leaves only 20 to 35 of 127 steps. Arguments are not checked.
 */
export interface NativeIndex {
  /** @param keys none of which the index has yet @param vectors row-major, one row per key */
  add(keys: BigUint64Array, vectors: Int8Array, threads: number): void;
  /** Returns keys, nearest first, their distances, and their count. */
  search(
    query: Int8Array,
    k: number,
    threads: number,
  ): [keys: BigUint64Array, distances: Float32Array, counts: BigUint64Array];
  remove(keys: BigUint64Array): void;
  size(): number;
  save(file: string): void;
  load(file: string): void;
  /** Maps a file into memory. */
  view(file: string): void;
}

type NativeIndexClass = new (
  dims: number,
  metric: 'ip',
  quantization: 'i8',
  links: number,
  buildWidth: number,
  searchWidth: number,
  multi: false,
) => NativeIndex;

/**
 * Compares every query with every vector, on all cores if `threads` is 0. Reads both from the beginning of their
 * buffers, which must not be shared with other threads.
 *
 * @returns keys (row numbers in `vectors`) and distances, `k` per query, nearest first
 */
type ExactSearch = (
  vectors: Float32Array,
  queries: Float32Array,
  dims: number,
  k: number,
  metric: 'ip',
  threads: number,
) => [keys: BigUint64Array, distances: Float32Array, counts: BigUint64Array];

const require = createRequire(import.meta.url);
interface Addon {
  readonly CompiledIndex: NativeIndexClass;
  readonly exactSearch: ExactSearch;
}
const load = require('node-gyp-build') as (folder: string) => Addon;
// The package only exports its entry point, which is three folders down.
const folder = path.resolve(path.dirname(require.resolve('usearch')), '../../..');

/** @throws Error if the addon was neither prebuilt for this platform nor compiled on it */
export const { CompiledIndex: NativeIndex, exactSearch } = load(folder);
