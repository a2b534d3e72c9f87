import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import type { Metrics } from '../../operation/metrics.js';

export interface RequestLogOptions {
  readonly log: Pick<Logger, 'info' | 'debug' | 'isLevelEnabled'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/**
 * Logs one line per request: method, route, status, milliseconds. The route is the pattern, never the URL as sent, and
 * body, key, query and session are not read, so nothing that a person wrote can reach the log. The client's address is
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

export interface RequestDurationsOptions {
  readonly metrics: Pick<Metrics, 'requestSeconds'>;
}

/**
 * Measures the duration of each request, by method, route and status.
 *
 * @example app.use(requestDurations({ metrics })); // outermost
 */
export function requestDurations({ metrics }: RequestDurationsOptions): Middleware {
  return async (ctx, next) => {
    const end = metrics.requestSeconds.startTimer();
    await next();
    // A client can send any text as the method; only known methods become a label.
    const method = METHODS.has(ctx.method) ? ctx.method : 'other';
    end({ method, route: routeOf(ctx), status: ctx.status });
  };
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);

/** Returns the pattern of the matched route, such as `/sdk/:file`; `unmatched` if there is none. */
function routeOf(ctx: ParameterizedContext): string {
  const { _matchedRoute: route } = ctx as { _matchedRoute?: string | RegExp };
  return route === undefined ? 'unmatched' : String(route);
}

/** Sets the pattern to log for a response sent without the router. */
export function setRoute(ctx: ParameterizedContext, route: string): void {
  Object.assign(ctx, { _matchedRoute: route });
}
