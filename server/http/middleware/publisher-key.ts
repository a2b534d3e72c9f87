import type { Middleware } from 'koa';
import type { KeyCheck, Keys } from '../../domain/publisher.js';
import type { Metrics } from '../../operation/metrics.js';

export interface KeyCheckOptions {
  readonly keys: Pick<Keys, 'check'>;
  readonly metrics: Pick<Metrics, 'keyFaults'>;
}

export type LiveKey = Extract<KeyCheck, { live: true }>;

/** What the key check leaves behind for those after it. */
export interface KeyState {
  key: LiveKey;
}

/**
 * Lets only requests with a live publisher key in `x-api-key` pass. Whatever is wrong with a key, the answer is the same
 * 401, but for a header that is missing; the operator's metrics have the fault.
 *
 * @example router.post('/match', keyCheck({ keys, metrics }), match);
 */
export function keyCheck({ keys, metrics }: KeyCheckOptions): Middleware<KeyState> {
  return async (ctx, next) => {
    const check = keys.check(ctx.get('x-api-key') || undefined, ctx.get('origin') || undefined);
    if (!check.live) {
      metrics.keyFaults.inc({ fault: check.fault });
      ctx.throw(
        401,
        check.fault === 'missing' ? 'the header x-api-key is missing' : 'the API key is invalid or expired',
      );
    }
    ctx.state.key = check as LiveKey;
    await next();
  };
}

export interface RateLimitOptions {
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

interface Window {
  readonly endsAt: number;
  used: number;
}

const MINUTE = 60_000;

/**
 * Holds each key to its requests a minute; a minute begins with the first request after the last one ended. Beyond it:
 * 429 with `Retry-After`. Counts are this process's own.
 *
 * @example router.post('/match', keyCheck(…), rateLimit({ clock: Date.now }), match);
 */
export function rateLimit({ clock }: RateLimitOptions): Middleware<KeyState> {
  const windows = new Map<string, Window>();
  return async (ctx, next) => {
    const { keyId, requestsPerMinute } = ctx.state.key;
    if (requestsPerMinute === null) return next();
    const now = clock();
    let window = windows.get(keyId);
    if (window === undefined || window.endsAt <= now) windows.set(keyId, (window = { endsAt: now + MINUTE, used: 0 }));
    if (window.used >= requestsPerMinute) {
      ctx.throw(429, `this key is limited to ${requestsPerMinute} requests a minute`, {
        headers: { 'Retry-After': String(Math.ceil((window.endsAt - now) / 1000)) },
      });
    }
    window.used++;
    return next();
  };
}
