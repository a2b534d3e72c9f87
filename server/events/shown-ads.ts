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
 * makes no click too soon. Beyond `maxAds`, half of them are forgotten at once.
 *
 * @param elapsed milliseconds since any one moment
 */
export function createShownAds(elapsed: () => number = () => performance.now(), maxAds = MAX_ADS): ShownAds {
  // Two maps, of which the older goes whole: to find the oldest entry of one, V8 walks over all that were deleted before it.
  let recent = new Map<string, ShownAd>();
  let earlier = new Map<string, ShownAd>();
  let recentSince = elapsed();
  const makeRoom = (now: number): void => {
    if (now - recentSince < SOONEST_MS && recent.size < maxAds / 2) return;
    // What is older than half a second has ended, and so has all before it.
    earlier = now - recentSince < 2 * SOONEST_MS ? recent : new Map();
    recent = new Map();
    recentSince = now;
  };
  const latest = (digest: string, now: number): ShownAd | undefined => {
    const ad = recent.get(digest) ?? earlier.get(digest);
    return ad !== undefined && now - ad.at < SOONEST_MS ? ad : undefined;
  };

  return {
    add(digest) {
      const now = elapsed();
      makeRoom(now);
      if (latest(digest, now) !== undefined) return undefined;
      const ad = { at: now, isFirst: false };
      recent.set(digest, ad);
      return {
        isFirst: () => void (ad.isFirst = true),
        forget() {
          // A later one may be remembered by now.
          for (const ads of [recent, earlier]) if (ads.get(digest) === ad) ads.delete(digest);
        },
      };
    },
    isTooSoon: (digest) => latest(digest, elapsed())?.isFirst === true,
    mayBeTooSoon: (digest) => latest(digest, elapsed())?.isFirst === false,
    get size() {
      return recent.size + earlier.size;
    },
  };
}

interface ShownAd {
  /** By `elapsed`. */
  readonly at: number;
  isFirst: boolean;
}
