import type { Middleware } from 'koa';
import { EncoderBusyError } from '../../../models/encoder/encoder.js';
import type { Admission } from '../../decide/admission.js';
import type { RateLimits } from '../../keys/rate-limits.js';
import type { BodyRoom } from '../body/body-room.js';
import type { KeyState } from './publisher-key.js';

export interface AdmitOptions {
  readonly admission: Pick<Admission, 'isFull'>;
  readonly rateLimits: Pick<RateLimits, 'waitSeconds'>;
  readonly bodyRoom: BodyRoom;
  /** Largest body that is read, in bytes. */
  readonly limitBytes: number;
}

/**
 * Refuses at once, before the body is read, what would be refused behind it: 429 beyond the key's requests a minute, 503
 * where nobody else would wait for this caller. Holds room for the body until the request is answered.
 *
 * @example router.post('/match', keyCheck(…), admit(…), match);
 */
export function admit({ admission, rateLimits, bodyRoom, limitBytes }: AdmitOptions): Middleware<KeyState> {
  return async (ctx, next) => {
    const { caller } = ctx.state;
    requireRate(ctx, rateLimits);
    if (admission.isFull(caller)) throw new EncoderBusyError();
    const release = bodyRoom.take(caller, Math.min(ctx.request.length ?? limitBytes, limitBytes));
    if (release === null) throw new EncoderBusyError();
    try {
      await next();
    } finally {
      release();
    }
  };
}

/** @throws 429 with `Retry-After` */
export function requireRate(
  ctx: Parameters<Middleware<KeyState>>[0],
  rateLimits: Pick<RateLimits, 'waitSeconds'>,
): void {
  const { key, caller } = ctx.state;
  const wait = rateLimits.waitSeconds(key, caller);
  if (wait === 0) return;
  ctx.throw(429, `this key is limited to ${key.requestsPerMinute} requests a minute`, {
    headers: { 'Retry-After': String(wait) },
  });
}
