import { randomBytes } from 'node:crypto';
import { createMonotonicClock } from '../../platform/time/monotonic-clock.js';
import { clientOf } from '../domain/client-address.js';
import { keyedHash } from '../domain/secrets.js';
import type { Claims } from '../domain/claims.js';

/** The sender of a click, as far as the request shows it. */
export interface ClickSource {
  /** The client's address; undefined if the connection closed too soon. */
  readonly address?: string | undefined;
}

/**
 * Detects clicks from one address on one creative that follow each other too quickly to be intended, although their
 * request ids differ.
 */
export interface RapidClicks {
  /**
   * Whether the same address clicked the same creative with another request id within the last seconds. Remembers a
   * click that is not rapid, to compare later clicks with.
   */
  isRapid(source: ClickSource, click: { readonly claims: Claims; readonly digest: string }, now: number): boolean;
  /** Number of clicks remembered. */
  readonly size: number;
}

/** A double click, or an ad served twice and opened in two tabs at once. */
const WITHIN_MS = 5000;
const MAX_CLICKS = 100_000;

/**
 * Remembers clicks for five seconds as hashes under a key that lives as long as the process. No address is kept, and
 * nothing is stored. The user agent is not used: a script can change it with every click.
 */
export function createRapidClicks(maxClicks = MAX_CLICKS): RapidClicks {
  const key = randomBytes(32);
  const monotonicTime = createMonotonicClock();
  const clicks = new Map<string, { readonly digest: string; readonly at: number }>();

  const forget = (now: number): void => {
    for (const [client, { at }] of clicks) {
      if (now - at < WITHIN_MS && clicks.size < maxClicks) return;
      clicks.delete(client);
    }
  };

  return {
    isRapid({ address }, { claims, digest }, now) {
      const at = monotonicTime(now);
      forget(at);
      const client = keyedHash(key, JSON.stringify([clientOf(address), claims.creative]));
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
