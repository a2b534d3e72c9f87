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
 * 401; the operator's metrics say which fault it was.
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
