import { randomNumbers } from '../../support/plausible-month.js';

/** Random choices that are reproducible by a seed. */
export interface Random {
  /** Returns an integer from 0 up to, but not including, the limit. */
  below(limit: number): number;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Returns random bytes. */
  bytes(count: number): Buffer;
  /** Returns mostly small numbers, sometimes up to `limit`. */
  length(limit: number): number;
}

/**
 * Returns the choices for one connection, derived from a run's seed and the connection's number, so that each
 * connection can be repeated alone.
 */
export function randomFor(seed: number, number: number): Random {
  // Mixed so that neighboring numbers do not begin alike.
  let mixed = (seed ^ Math.imul(number + 1, 0x9e37_79b1)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  const next = randomNumbers((mixed ^ (mixed >>> 16)) >>> 0);
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)]!,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
    length: (limit) => Math.floor(limit ** next()),
  };
}
