import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createSteadyTime } from '../../models/time/steady-time.js';
import { keyedHash } from '../domain/secrets.js';
import type { Claims } from '../domain/claims.js';

/** Who sent a click, as far as the request shows it. */
export interface ClickSource {
  readonly headers: IncomingHttpHeaders;
  /** The client's address; undefined where a proxy hides it. */
  readonly address?: string | undefined;
}

/** Clicks of one client on one creative that follow each other too quickly to be meant, though their request ids differ. */
export interface RapidClicks {
  /**
   * Whether the same client clicked the same creative, with another request id, within the last seconds. A click that is
   * not rapid is remembered as the one to compare with.
   */
  isRapid(source: ClickSource, click: { readonly claims: Claims; readonly digest: string }, now: number): boolean;
  /** Clicks remembered. */
  readonly size: number;
}

/** A double click, or an ad answered twice and opened in two tabs at once. */
const WITHIN_MS = 5000;
const MAX_CLICKS = 100_000;

/**
 * Remembers clicks for five seconds as hashes under a key that lives as long as the process: neither address nor user
 * agent is held, and nothing is stored. A client is an address and a user agent; one that a proxy hides is nobody.
 */
export function createRapidClicks(maxClicks = MAX_CLICKS): RapidClicks {
  const key = randomBytes(32);
  const steadyTime = createSteadyTime();
  const clicks = new Map<string, { readonly digest: string; readonly at: number }>();

  const forget = (now: number): void => {
    for (const [client, { at }] of clicks) {
      if (now - at < WITHIN_MS && clicks.size < maxClicks) return;
      clicks.delete(client);
    }
  };

  return {
    isRapid({ address, headers }, { claims, digest }, now) {
      if (address === undefined) return false;
      const at = steadyTime(now);
      forget(at);
      const client = keyedHash(key, JSON.stringify([address, headers['user-agent'], claims.creative]));
      const before = clicks.get(client);
      if (before !== undefined) return before.digest !== digest;
      clicks.set(client, { digest, at });
      return false;
    },
    get size() {
      return clicks.size;
    },
  };
}
