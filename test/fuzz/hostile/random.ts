import { randomNumbers } from '../../support/plausible-month.js';

/** Choices that a seed repeats. */
export interface Random {
  /** A whole number from 0 up to, but without, this one. */
  below(limit: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Bytes of any value. */
  bytes(count: number): Buffer;
  /** Small numbers mostly, up to `limit` at times. */
  length(limit: number): number;
}

/** The choices for one connection: from a run's seed and the connection's number, so that each can be repeated alone. */
export function randomFor(seed: number, number: number): Random {
  // Neighbouring numbers must not begin alike.
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
