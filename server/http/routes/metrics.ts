import type { Middleware } from 'koa';
import type { Metrics } from '../../operation/metrics.js';

/** `GET /metrics`: the counters, in the text format of Prometheus. */
export function metricsPage({ registry }: Pick<Metrics, 'registry'>): Middleware {
  return async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Content-Type', registry.contentType);
    ctx.body = await registry.metrics();
  };
}
