import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * usearch's addon without its wrapper in JavaScript, which turns vectors of 8 bits into floats first, so that the addon makes 8 bits of
 * them once more, by a scale that leaves 20 to 35 of 127 steps. Arguments are not checked.
 */
export interface NativeIndex {
  /** @param keys none of which it has @param vectors row-major, as many rows as keys */
  add(keys: BigUint64Array, vectors: Int8Array, threads: number): void;
  /** Keys, nearest first, their distances, and how many there are. */
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
 * Compares every query with every vector, with all cores where `threads` is 0. Reads both from the beginning of their buffers, which
 * other threads must not share.
 *
 * @returns keys (places in `vectors`) and distances, `k` a query, nearest first
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
// The package names its entry alone, three folders down.
const folder = path.resolve(path.dirname(require.resolve('usearch')), '../../..');

/** @throws Error when the addon was neither built for this platform nor compiled on it */
export const { CompiledIndex: NativeIndex, exactSearch } = load(folder);
