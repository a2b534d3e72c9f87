import type { Middleware } from 'koa';
import { type Admission, OverloadedError } from '../../decide/admission.js';
import type { RateLimits } from '../../keys/rate-limits.js';
import type { BodyMemoryLimit } from '../body/body-memory-limit.js';
import type { KeyState } from './publisher-key.js';

export interface AdmitOptions {
  readonly admission: Pick<Admission, 'isFull'>;
  readonly rateLimits: Pick<RateLimits, 'waitSeconds'>;
  readonly bodyMemory: BodyMemoryLimit;
  /** Max body size in bytes. */
  readonly limitBytes: number;
}

/**
 * Rejects, before reading the body, requests that would be rejected afterwards: 429 above the key's requests per
 * minute, 503 when the queue is full for this client. Reserves memory for the body until the response is sent.
 *
 * @example router.post('/match', keyCheck(…), admit(…), match);
 */
export function admit({ admission, rateLimits, bodyMemory, limitBytes }: AdmitOptions): Middleware<KeyState> {
  return async (ctx, next) => {
    const { client } = ctx.state;
    requireRate(ctx, rateLimits);
    if (admission.isFull(client)) throw new OverloadedError();
    const release = bodyMemory.take(client, Math.min(ctx.request.length ?? limitBytes, limitBytes));
    if (release === null) throw new OverloadedError();
    try {
      await next();
    } finally {
      release();
    }
  };
}

/** Requires that the key's rate limit allows a request. @throws 429 with `Retry-After` */
export function requireRate(
  ctx: Parameters<Middleware<KeyState>>[0],
  rateLimits: Pick<RateLimits, 'waitSeconds'>,
): void {
  const { key, client } = ctx.state;
  const wait = rateLimits.waitSeconds(key, client);
  if (wait === 0) return;
  ctx.throw(429, `this key is limited to ${key.requestsPerMinute} requests a minute`, {
    headers: { 'Retry-After': String(wait) },
  });
}
