import type { Middleware } from 'koa';
import type { Client } from '../../decide/fair-queue.js';
import { clientNetworkOf } from '../../domain/network.js';
import type { KeyCheck, KeyRejection, Keys } from '../../domain/publisher.js';
import type { Metrics } from '../../operation/metrics.js';

export interface KeyCheckOptions {
  readonly keys: Pick<Keys, 'check'>;
  readonly metrics: Pick<Metrics, 'keyFaults'>;
}

export type ValidKey = Extract<KeyCheck, { valid: true }>;

/** State that the key check passes to later middleware. */
export interface KeyState {
  key: ValidKey;
  /** The client, whose share of the key's limit and of the server's capacity is limited. */
  client: Client;
}

/**
 * Passes only requests with a live publisher key in `x-api-key`. All other keys get the same 401. Only a missing header
 * and a page that the key is not for have messages of their own. The metrics record the fault of every rejected key.
 *
 * @example router.post('/match', keyCheck({ keys, metrics }), match);
 */
export function keyCheck({ keys, metrics }: KeyCheckOptions): Middleware<KeyState> {
  return async (ctx, next) => {
    const check = keys.check(ctx.get('x-api-key') || undefined, ctx.get('origin') || undefined);
    if (!check.valid) {
      metrics.keyFaults.inc({ fault: check.fault });
      ctx.throw(401, messageFor(check.fault, ctx.get('origin')));
    }
    const key = check as ValidKey;
    ctx.state.key = key;
    ctx.state.client = { key: key.keyId, ...clientNetworkOf(ctx.ip) };
    await next();
  };
}

function messageFor(fault: KeyRejection, origin: string): string {
  if (fault === 'missing') return 'the header x-api-key is missing';
  if (fault !== 'wrong-origin') return 'the API key is invalid or expired';
  return origin === ''
    ? 'this API key works on certain origins only, and the request names none (header Origin)'
    : 'this API key does not work on the origin of this page (header Origin)';
}
