import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import type { Metrics } from '../../operation/metrics.js';

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

export interface RequestDurationsOptions {
  readonly metrics: Pick<Metrics, 'requestSeconds'>;
}

/**
 * Measures how long each answer took, by method, route and status.
 *
 * @example app.use(requestDurations({ metrics })); // outermost
 */
export function requestDurations({ metrics }: RequestDurationsOptions): Middleware {
  return async (ctx, next) => {
    const end = metrics.requestSeconds.startTimer();
    await next();
    // Any text can be a method on the wire; only known ones may become a label.
    const method = METHODS.has(ctx.method) ? ctx.method : 'other';
    end({ method, route: routeOf(ctx), status: ctx.status });
  };
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);

/** The pattern of the route that answered, such as `/sdk/:file`; `unmatched` when none did. */
export function routeOf(ctx: ParameterizedContext): string {
  const { _matchedRoute: route } = ctx as { _matchedRoute?: string | RegExp };
  return route === undefined ? 'unmatched' : String(route);
}

/** For what is answered without the router: the pattern to log. */
export function setRoute(ctx: ParameterizedContext, route: string): void {
  Object.assign(ctx, { _matchedRoute: route });
}
