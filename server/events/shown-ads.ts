/** Ads shown within the last half second: a click on one of them is no person's. */
export interface ShownAds {
  /**
   * An impression has come in. `digest` names the request id.
   *
   * @returns what to tell of it once the ledger has answered; undefined when one of its ad is remembered already
   */
  add(digest: string): AddedImpression | undefined;
  /** The ad was first shown within the last half second. */
  isTooSoon(digest: string): boolean;
  /** A beacon came within the last half second, and the ledger has not said yet whether it is the ad's first. */
  mayBeTooSoon(digest: string): boolean;
  /** Ads remembered. */
  readonly size: number;
}

/** One impression, of which nobody knows yet whether it is its ad's first. */
export interface AddedImpression {
  /** The ledger has stored it: the ad was not shown before. */
  isFirst(): void;
  /** The ad was shown before, or the ledger could not tell. */
  forget(): void;
}

/** Seeing an ad, deciding and moving there takes a person about a second; half of it is for a beacon that was held up. */
export const SOONEST_MS = 500;
const MAX_ADS = 100_000;

/**
 * Remembers the ads of the last half second. By a clock that only counts what has passed, so that setting the machine's clock
 * makes no click too soon.
 *
 * @param elapsed milliseconds since any one moment
 */
export function createShownAds(elapsed: () => number = () => performance.now(), maxAds = MAX_ADS): ShownAds {
  const ads = new Map<string, { readonly at: number; isFirst: boolean }>();
  const forget = (now: number): void => {
    for (const [digest, { at }] of ads) {
      if (now - at < SOONEST_MS && ads.size < maxAds) return;
      ads.delete(digest);
    }
  };
  const latest = (digest: string) => {
    const ad = ads.get(digest);
    return ad !== undefined && elapsed() - ad.at < SOONEST_MS ? ad : undefined;
  };

  return {
    add(digest) {
      const now = elapsed();
      forget(now);
      if (ads.has(digest)) return undefined;
      const ad = { at: now, isFirst: false };
      ads.set(digest, ad);
      return {
        isFirst: () => void (ad.isFirst = true),
        forget() {
          // A later one may be remembered by now.
          if (ads.get(digest) === ad) ads.delete(digest);
        },
      };
    },
    isTooSoon: (digest) => latest(digest)?.isFirst === true,
    mayBeTooSoon: (digest) => latest(digest)?.isFirst === false,
    get size() {
      return ads.size;
    },
  };
}
