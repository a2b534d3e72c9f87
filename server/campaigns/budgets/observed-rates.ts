import { PRIOR_CTR } from '../../domain/billing.js';

/** The share of a publisher's answered ads that are shown: soon, or, of those that were not, later. */
export interface ShownRate {
  readonly fresh: number;
  readonly late: number;
}

/** How often ads of each publisher are shown, as far as was observed. */
export interface ShownRates {
  of(publisher: string): ShownRate;
  /** One more answered ad of a publisher was shown in time, or was not. */
  observed(publisher: string, shown: boolean): void;
  /** Of those that were not, one was shown later all the same, or never. */
  observedLate(publisher: string, shown: boolean): void;
}

/** How often each account's ads are clicked once they are shown. */
export interface ClickRates {
  of(account: string): number;
  shown(account: string): void;
  clicked(account: string): void;
}

/** Before anything is known: apps show nearly every ad that they ask for, and one that was not shown soon hardly ever. */
const PRIOR_FRESH = { rate: 0.9, weight: 20 };
const PRIOR_LATE = { rate: 0.02, weight: 50 };
/** So many impressions weigh as much as the prior: with fewer, a single click says little. */
const PRIOR_CLICKS = { rate: PRIOR_CTR, weight: 200 };
/** Beyond it what is old loses half its weight: what a publisher's app does may change. */
const MOST_SHOWN = 2000;
const MOST_CLICKS = 20_000;

/** @param history answered ads and impressions of a publisher before this process began */
export function createShownRates(
  history: ReadonlyMap<string, { readonly answered: number; readonly shown: number }> = new Map(),
): ShownRates {
  const fresh = createShares(PRIOR_FRESH, MOST_SHOWN);
  const late = createShares(PRIOR_LATE, MOST_SHOWN);
  for (const [publisher, { answered, shown }] of history) fresh.add(publisher, answered, Math.min(shown, answered));
  return {
    of: (publisher) => ({ fresh: fresh.of(publisher), late: late.of(publisher) }),
    observed: (publisher, shown) => fresh.add(publisher, 1, Number(shown)),
    observedLate: (publisher, shown) => late.add(publisher, 1, Number(shown)),
  };
}

/** @param history impressions and clicks of an account before this process began */
export function createClickRates(
  history: ReadonlyMap<string, { readonly impressions: number; readonly clicks: number }> = new Map(),
): ClickRates {
  const shares = createShares(PRIOR_CLICKS, MOST_CLICKS);
  for (const [account, { impressions, clicks }] of history) shares.add(account, impressions, clicks);
  return {
    of: (account) => Math.min(1, shares.of(account)),
    shown: (account) => shares.add(account, 1, 0),
    clicked: (account) => shares.add(account, 0, 1),
  };
}

/** Estimates a share for each name, drawn towards a prior as long as little is known. */
function createShares(prior: { readonly rate: number; readonly weight: number }, most: number) {
  const known = new Map<string, { of: number; hits: number }>();
  return {
    of(name: string): number {
      const { of, hits } = known.get(name) ?? { of: 0, hits: 0 };
      return (hits + prior.rate * prior.weight) / (of + prior.weight);
    },
    add(name: string, of: number, hits: number): void {
      const before = known.get(name) ?? { of: 0, hits: 0 };
      const all = { of: before.of + of, hits: before.hits + hits };
      const kept = all.of <= most ? 1 : most / 2 / all.of;
      known.set(name, { of: all.of * kept, hits: all.hits * kept });
    },
  };
}
