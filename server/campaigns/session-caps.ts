import { randomBytes } from 'node:crypto';
import type { FrequencyCap } from '../../models/schema/creative.js';
import { createMonotonicClock } from '../../platform/time/monotonic-clock.js';
import { keyedHash } from '../domain/secrets.js';

/** Counts the ads of each account that a session was served. In memory only, without session ids. */
export interface SessionCaps {
  /**
   * Returns whether the session was served as many ads within the cap's hours as it allows. `now` is epoch
   * milliseconds.
   */
  isReached(session: string, account: string, cap: FrequencyCap, now: number): boolean;
  recordServed(session: string, account: string, cap: FrequencyCap, now: number): void;
  /** Number of stored moments, over all sessions. */
  readonly size: number;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MAX_MOMENTS = 1_000_000;

/** Counts under one day's key. */
interface Generation {
  readonly day: number;
  readonly key: Buffer;
  /** The last session hashed. */
  readonly last: { session: string | undefined; hash: string };
  /** When ads were served, by session hash followed by account. */
  readonly moments: Map<string, number[]>;
  /** Number of stored moments, kept up to date: counting a million of them would block the event loop at midnight. */
  size: number;
}

/**
 * Creates the session caps. Sessions are identified by a hash whose key changes at midnight UTC. The previous day's key
 * is kept for one more day, so that a cap of up to 24 hours holds across midnight; a longer cap forgets ads older than
 * one to two days. Setting the clock back does not extend a cap.
 *
 * @param maxMoments beyond it the oldest sessions are dropped, and may see more ads than their cap allows
 */
export function createSessionCaps(maxMoments = MAX_MOMENTS): SessionCaps {
  const monotonicTime = createMonotonicClock();
  let generations: readonly [Generation, ...Generation[]] = [generationOf(0)];
  const sizeOf = (): number => generations.reduce((sum, { size }) => sum + size, 0);

  const at = (now: number): readonly [Generation, ...Generation[]] => {
    const day = Math.floor(now / DAY_MS);
    if (generations[0].day >= day) return generations;
    generations = [generationOf(day), ...generations.filter((generation) => generation.day === day - 1)];
    return generations;
  };
  const forgetOldest = (): void => {
    for (const generation of generations.toReversed()) {
      for (const [entry, held] of generation.moments) {
        if (sizeOf() <= maxMoments) return;
        generation.moments.delete(entry);
        generation.size -= held.length;
      }
    }
  };

  return {
    isReached(session, account, cap, moment) {
      const now = monotonicTime(moment);
      const since = now - cap.hours * HOUR_MS;
      let ads = 0;
      for (const generation of at(now)) {
        const { moments } = generation;
        if (moments.size === 0) continue;
        ads += (moments.get(entryOf(generation, session, account)) ?? []).filter((each) => each > since).length;
      }
      return ads >= cap.ads;
    },
    recordServed(session, account, { ads, hours }, moment) {
      const now = monotonicTime(moment);
      const [generation] = at(now);
      const { moments } = generation;
      const entry = entryOf(generation, session, account);
      const before = moments.get(entry) ?? [];
      const kept = [...before.filter((each) => each > now - hours * HOUR_MS), now].slice(-ads);
      // Deleted and set again, so that the map is in order of last use.
      moments.delete(entry);
      moments.set(entry, kept);
      generation.size += kept.length - before.length;
      forgetOldest();
    },
    get size() {
      return sizeOf();
    },
  };
}

function entryOf({ key, last }: Generation, session: string, account: string): string {
  // A decision checks the same session for every candidate's campaign.
  if (last.session !== session) Object.assign(last, { session, hash: keyedHash(key, session) });
  return last.hash + account;
}

function generationOf(day: number): Generation {
  return { day, key: randomBytes(32), last: { session: undefined, hash: '' }, moments: new Map(), size: 0 };
}
