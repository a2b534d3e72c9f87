import type { Middleware } from 'koa';
import type { KeyState } from './key-check.js';

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
