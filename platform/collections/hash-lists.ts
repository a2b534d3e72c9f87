import { randomInt } from 'node:crypto';

/**
 * Lists of numbers by hash, in two typed arrays: a map of a million arrays takes ten times the memory, and the garbage
 * collector goes through it array by array. Different keys may share a list.
 */
export interface HashLists {
  /** By hash, to the length of the array: the first number of the list, plus 1; 0: an empty list. */
  readonly heads: Uint32Array;
  /** By number: the next number of its list, plus 1; 0: none. */
  readonly nexts: Uint32Array;
  /** By hash: the length of the list. */
  readonly sizes: Uint32Array;
  /** Seed of the hashes: without knowing it nobody can make keys that all share a list. */
  readonly seed: number;
}

/** @param count the numbers to be listed are below it */
export function newHashLists(count: number): HashLists {
  const hashes = 2 ** Math.ceil(Math.log2(count + 1));
  const [heads, sizes] = [new Uint32Array(hashes), new Uint32Array(hashes)];
  return { heads, nexts: new Uint32Array(count), sizes, seed: randomInt(2 ** 32) };
}

/** Adds a number, which no list has yet, at the beginning of a list. */
export function addFirst({ heads, nexts, sizes }: HashLists, hash: number, number: number): void {
  const at = hash & (heads.length - 1);
  nexts[number] = heads[at]!;
  heads[at] = number + 1;
  sizes[at]!++;
}

/** Returns the length of a list. */
export function lengthOf({ sizes }: HashLists, hash: number): number {
  return sizes[hash & (sizes.length - 1)]!;
}

/** Returns the first number of a list; -1: it is empty. */
export function firstIn({ heads }: HashLists, hash: number): number {
  return heads[hash & (heads.length - 1)]! - 1;
}

/** Returns the number that follows another in its list; -1: none. */
export function nextIn({ nexts }: HashLists, number: number): number {
  return nexts[number]! - 1;
}

const PRIME = 0x01000193;

/**
 * Returns the FNV-1a hash of a part of a string, by code unit, with its higher bits mixed into the lower ones.
 *
 * @param seed that of the lists; one bit different from it distinguishes lists of the same letters
 */
export function hashOf(text: string, seed: number, from = 0, to = text.length): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return (hash ^ (hash >>> 15)) >>> 0;
}
