import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { isPrivate } from '../../domain/network.js';

export interface HiddenProxyOptions {
  readonly trustProxy: number;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Warns once where a proxy beside the server passes requests on and `TRUST_PROXY` knows of none: all visitors have the proxy's
 * address then, and most of their clicks count as one client's. A header from afar says nothing: anybody can send it.
 *
 * @example app.use(warnOfUntrustedProxy({ trustProxy: 0, log }));
 */
export function warnOfUntrustedProxy({ trustProxy, log }: HiddenProxyOptions): Middleware {
  let warned = trustProxy > 0;
  return async (ctx, next) => {
    if (!warned && ctx.headers['x-forwarded-for'] !== undefined && isPrivate(ctx.socket.remoteAddress ?? '')) {
      warned = true;
      log.warn('requests come through a proxy: set TRUST_PROXY, or all visitors are one client and few clicks count');
    }
    return next();
  };
}
