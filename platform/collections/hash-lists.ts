/**
 * Lists of numbers by hash, in two typed arrays: a map of a million arrays takes ten times the memory, and the garbage
 * collector goes through it array by array. Different keys may share a list.
 */
export interface HashLists {
  /** By hash, to the length of the array: the first number of the list, plus 1; 0: an empty list. */
  readonly heads: Uint32Array;
  /** By number: the next number of its list, plus 1; 0: none. */
  readonly nexts: Uint32Array;
}

/** @param count the numbers to be listed are below it */
export function newHashLists(count: number): HashLists {
  return { heads: new Uint32Array(2 ** Math.ceil(Math.log2(count + 1))), nexts: new Uint32Array(count) };
}

/** Adds a number, which no list has yet, at the beginning of a list. */
export function addFirst({ heads, nexts }: HashLists, hash: number, number: number): void {
  const at = hash & (heads.length - 1);
  nexts[number] = heads[at]!;
  heads[at] = number + 1;
}

/** Returns the first number of a list; -1: it is empty. */
export function firstOf({ heads }: HashLists, hash: number): number {
  return heads[hash & (heads.length - 1)]! - 1;
}

/** Returns the number that follows another in its list; -1: none. */
export function nextOf({ nexts }: HashLists, number: number): number {
  return nexts[number]! - 1;
}

const PRIME = 0x01000193;

/**
 * Returns the FNV-1a hash of a part of a string, by code unit, with its higher bits mixed into the lower ones.
 *
 * @param seed distinguishes lists of the same letters
 */
export function hashOf(text: string, from = 0, to = text.length, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return (hash ^ (hash >>> 15)) >>> 0;
}
