/** Ads shown within the last half second: a click on one of them is no person's. */
export interface ShownAds {
  /** An impression has come in, stored or not yet. `digest` names the request id. @returns false when it is remembered already */
  add(digest: string): boolean;
  /** What was added turned out to be a repetition: the ad was shown before. */
  remove(digest: string): void;
  isTooSoon(digest: string): boolean;
  /** Ads remembered. */
  readonly size: number;
}

/** Seeing an ad, deciding and moving there takes a person about a second; half of it is for a beacon that was held up. */
const SOONEST_MS = 500;
const MAX_ADS = 100_000;

/**
 * Remembers the ads of the last half second. By a clock that only counts what has passed, so that setting the machine's clock
 * makes no click too soon.
 *
 * @param elapsed milliseconds since any one moment
 */
export function createShownAds(elapsed: () => number = () => performance.now(), maxAds = MAX_ADS): ShownAds {
  const ads = new Map<string, number>();
  const forget = (now: number): void => {
    for (const [digest, at] of ads) {
      if (now - at < SOONEST_MS && ads.size < maxAds) return;
      ads.delete(digest);
    }
  };

  return {
    add(digest) {
      const now = elapsed();
      forget(now);
      if (ads.has(digest)) return false;
      ads.set(digest, now);
      return true;
    },
    remove: (digest) => void ads.delete(digest),
    isTooSoon(digest) {
      const at = ads.get(digest);
      return at !== undefined && elapsed() - at < SOONEST_MS;
    },
    get size() {
      return ads.size;
    },
  };
}
