import type { Middleware } from 'koa';
import type { Metrics } from '../../operation/metrics.js';
import { routeOf } from './route-of.js';

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
