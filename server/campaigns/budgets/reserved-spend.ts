import type { Pricing } from '../../../models/schema/creative.js';
import type { ShownRate } from './observed-rates.js';

/**
 * State of a served ad: `fresh`, not shown yet; `shown`, its click may follow; `late`, not paid within the time in
 * which nearly all paid ads are.
 */
export type AdState = 'fresh' | 'late' | 'shown';

/** Prices of ads that are served but not paid, in micros, by pricing model and ad state. */
export interface ReservedSpend {
  add(model: Pricing['model'], state: AdState, micros: number): void;
  /** Returns what the ads are expected to cost. */
  expected(shown: ShownRate, clickRate: number): number;
  readonly isEmpty: boolean;
}

export function createReservedSpend(): ReservedSpend {
  // Whole micros, so that adding and subtracting leaves no remainder.
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

/** The reserved spend of one account, by holder. Holders that hold nothing any more are removed. */
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
      const held = holders.get(holder) ?? createReservedSpend();
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
