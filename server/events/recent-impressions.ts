/** Ads whose first impression is at most half a second old: no person can click that soon. */
export interface RecentImpressions {
  /**
   * Remembers an impression. `digest` names the request id.
   *
   * @returns callbacks to report the ledger's result; undefined if an impression of the same ad is already remembered
   */
  add(digest: string): AddedImpression | undefined;
  /** Whether the ad had its first impression within the last half second. */
  isTooSoon(digest: string): boolean;
  /**
   * Whether a beacon arrived within the last half second and the ledger has not yet said whether it is the ad's first.
   */
  mayBeTooSoon(digest: string): boolean;
  /** Number of impressions remembered. */
  readonly size: number;
}

/** An impression that may or may not be its ad's first. */
export interface AddedImpression {
  /** The ledger has stored the impression: it is the ad's first. */
  confirm(): void;
  /** The ad had an impression before, or the ledger failed. */
  forget(): void;
}

/** A person needs about a second to see an ad, decide, and reach it. Half of that is allowance for a delayed beacon. */
export const SOONEST_MS = 500;
const MAX_IMPRESSIONS = 100_000;

/**
 * Remembers the impressions of the last half second. Uses a monotonic clock, so that setting the machine's clock makes
 * no click too soon. Above `max`, drops half of them at once.
 *
 * @param elapsed milliseconds since any fixed moment
 */
export function createRecentImpressions(
  elapsed: () => number = () => performance.now(),
  max = MAX_IMPRESSIONS,
): RecentImpressions {
  // Uses two maps and drops the older one as a whole: to find a map's oldest entry, V8 walks over all entries deleted
  // before it.
  let recent = new Map<string, Impression>();
  let earlier = new Map<string, Impression>();
  let recentSince = elapsed();
  const makeRoom = (now: number): void => {
    if (now - recentSince < SOONEST_MS && recent.size < max / 2) return;
    // Entries older than half a second have expired. If the recent map is older than two half seconds, so has
    // everything in it.
    earlier = now - recentSince < 2 * SOONEST_MS ? recent : new Map();
    recent = new Map();
    recentSince = now;
  };
  const latest = (digest: string, now: number): Impression | undefined => {
    const impression = recent.get(digest) ?? earlier.get(digest);
    return impression !== undefined && now - impression.at < SOONEST_MS ? impression : undefined;
  };

  return {
    add(digest) {
      const now = elapsed();
      makeRoom(now);
      if (latest(digest, now) !== undefined) return undefined;
      const impression = { at: now, isFirst: false };
      recent.set(digest, impression);
      return {
        confirm: () => void (impression.isFirst = true),
        forget() {
          // A later impression of the ad may be remembered by now.
          for (const kept of [recent, earlier]) if (kept.get(digest) === impression) kept.delete(digest);
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

interface Impression {
  /** Time by `elapsed`. */
  readonly at: number;
  isFirst: boolean;
}
