import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { routeOf } from './route-of.js';

export interface RequestLogOptions {
  readonly log: Pick<Logger, 'info' | 'debug' | 'isLevelEnabled'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/**
 * One line a request: method, route, status, milliseconds. The route is the pattern, never the address as sent, and
 * neither body, key, query nor session is looked at: what a person wrote cannot reach the log. The caller's address is
 * logged at level debug only.
 *
 * @example app.use(requestLog({ log, clock: Date.now })); // outermost, to see the final status
 */
export function requestLog({ log, clock }: RequestLogOptions): Middleware {
  return async (ctx, next) => {
    const began = clock();
    await next();
    const line = { method: ctx.method, route: routeOf(ctx), status: ctx.status, ms: clock() - began };
    if (log.isLevelEnabled('debug')) log.debug({ ...line, ip: ctx.ip }, 'request');
    else log.info(line, 'request');
  };
}
