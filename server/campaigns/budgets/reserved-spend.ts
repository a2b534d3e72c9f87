import type { Pricing } from '../../../models/schema/creative.js';
import type { ShownRate } from './observed-rates.js';

/**
 * What became of an answered ad so far: `fresh`, not shown yet; `shown`, and its click may come; `late`, not paid for within
 * the time in which nearly all are that ever will be.
 */
export type AdState = 'fresh' | 'late' | 'shown';

/** Prices of ads that are answered and not paid for, in micros, by what they are for and what became of the ads so far. */
export interface ReservedSpend {
  add(model: Pricing['model'], state: AdState, micros: number): void;
  /** What they are expected to cost. */
  expected(shown: ShownRate, clickRate: number): number;
  readonly isEmpty: boolean;
}

export function createHeldMoney(): ReservedSpend {
  // Whole micros: what is added and taken away again leaves nothing.
  const sums = { cpm: { fresh: 0, late: 0, shown: 0 }, cpc: { fresh: 0, late: 0, shown: 0 } };
  const weighted = ({ fresh, late, shown }: Record<AdState, number>, rate: ShownRate): number =>
    fresh * rate.fresh + late * rate.late + shown;
  return {
    add(model, state, micros) {
      sums[model][state] += micros;
    },
    expected: (rate, clickRate) => weighted(sums.cpm, rate) + weighted(sums.cpc, rate) * clickRate,
    get isEmpty() {
      return [sums.cpm, sums.cpc].every(({ fresh, late, shown }) => fresh + late + shown === 0);
    },
  };
}

/** Of one account, money held by different people or publishers. Those that hold nothing any more are forgotten. */
export interface Holders {
  add(holder: string, model: Pricing['model'], state: AdState, micros: number): void;
  of(holder: string): ReservedSpend | undefined;
  entries(): Iterable<[holder: string, held: ReservedSpend]>;
  readonly size: number;
}

export function createHolders(): Holders {
  const holders = new Map<string, ReservedSpend>();
  return {
    add(holder, model, state, micros) {
      const held = holders.get(holder) ?? createHeldMoney();
      held.add(model, state, micros);
      if (held.isEmpty) holders.delete(holder);
      else holders.set(holder, held);
    },
    of: (holder) => holders.get(holder),
    entries: () => holders.entries(),
    get size() {
      return holders.size;
    },
  };
}
