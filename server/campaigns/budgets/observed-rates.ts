import { PRIOR_CTR } from '../../domain/billing.js';

/** The share of a publisher's served ads that are shown soon, and the share of the rest that are shown later. */
export interface ShownRate {
  readonly fresh: number;
  readonly late: number;
}

/** How often each publisher's served ads are shown, as observed. */
export interface ShownRates {
  of(publisher: string): ShownRate;
  /** Records whether a served ad of the publisher was shown in time. */
  recordInTime(publisher: string, shown: boolean): void;
  /** Records whether an ad that was not shown in time was shown later, or never. */
  recordLate(publisher: string, shown: boolean): void;
}

/** How often each account's ads are clicked once shown. */
export interface ClickRates {
  of(account: string): number;
  recordImpression(account: string): void;
  recordClick(account: string): void;
}

/** Assumed before anything is observed: apps show nearly every ad that they request, and hardly ever show one late. */
const PRIOR_FRESH = { rate: 0.9, weight: 20 };
const PRIOR_LATE = { rate: 0.02, weight: 50 };
/** The prior weighs as much as 200 impressions: with fewer, a single click means little. */
const PRIOR_CLICKS = { rate: PRIOR_CTR, weight: 200 };
/** Beyond these counts the weight of earlier observations is halved, since a publisher's app may change. */
const MAX_SHOWN = 2000;
const MAX_CLICKS = 20_000;

/** Creates the shown rates. @param history served ads and impressions by publisher, from before this process started */
export function createShownRates(
  history: ReadonlyMap<string, { readonly served: number; readonly shown: number }> = new Map(),
): ShownRates {
  const fresh = createShares(PRIOR_FRESH, MAX_SHOWN);
  const late = createShares(PRIOR_LATE, MAX_SHOWN);
  for (const [publisher, { served, shown }] of history) fresh.add(publisher, served, Math.min(shown, served));
  return {
    of: (publisher) => ({ fresh: fresh.of(publisher), late: late.of(publisher) }),
    recordInTime: (publisher, shown) => fresh.add(publisher, 1, Number(shown)),
    recordLate: (publisher, shown) => late.add(publisher, 1, Number(shown)),
  };
}

/** Creates the click rates. @param history impressions and clicks by account, from before this process started */
export function createClickRates(
  history: ReadonlyMap<string, { readonly impressions: number; readonly clicks: number }> = new Map(),
): ClickRates {
  const shares = createShares(PRIOR_CLICKS, MAX_CLICKS);
  for (const [account, { impressions, clicks }] of history) shares.add(account, impressions, clicks);
  return {
    of: (account) => Math.min(1, shares.of(account)),
    recordImpression: (account) => shares.add(account, 1, 0),
    recordClick: (account) => shares.add(account, 0, 1),
  };
}

/** Estimates a share per name, close to a prior while little is observed. */
function createShares(prior: { readonly rate: number; readonly weight: number }, max: number) {
  const known = new Map<string, { of: number; hits: number }>();
  return {
    of(name: string): number {
      const { of, hits } = known.get(name) ?? { of: 0, hits: 0 };
      return (hits + prior.rate * prior.weight) / (of + prior.weight);
    },
    add(name: string, of: number, hits: number): void {
      const before = known.get(name) ?? { of: 0, hits: 0 };
      const all = { of: before.of + of, hits: before.hits + hits };
      const kept = all.of <= max ? 1 : max / 2 / all.of;
      known.set(name, { of: all.of * kept, hits: all.hits * kept });
    },
  };
}
