import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { isPrivate } from '../../domain/network.js';

export interface UntrustedProxyOptions {
  readonly trustProxy: number;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Warns once when a proxy on a private address forwards requests while `TRUST_PROXY` is 0. All visitors then share the
 * proxy's address, and most of their clicks are ignored as those of one client. A forwarding header from a public
 * address proves nothing: any client can send it.
 *
 * @example app.use(warnOfUntrustedProxy({ trustProxy: 0, log }));
 */
export function warnOfUntrustedProxy({ trustProxy, log }: UntrustedProxyOptions): Middleware {
  let warned = trustProxy > 0;
  return async (ctx, next) => {
    if (!warned && ctx.headers['x-forwarded-for'] !== undefined && isPrivate(ctx.socket.remoteAddress ?? '')) {
      warned = true;
      log.warn(
        'requests come through a proxy: set TRUST_PROXY, or all visitors look like one client and few clicks count',
      );
    }
    return next();
  };
}
