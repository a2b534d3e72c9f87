import type { Middleware } from 'koa';
import type { ReadinessCheck } from '../../operation/readiness.js';
import type { Metrics } from '../../operation/metrics.js';

/** `GET /healthz`: shows that the process responds. */
export function healthz(): Middleware {
  return (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { status: 'ok' };
  };
}

/** `GET /readyz`: returns 200 when every check passes, else 503 with the name and reason of each that fails. */
export function readyz(checks: readonly ReadinessCheck[]): Middleware {
  return async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    const faults = await Promise.all(checks.map(async ({ name, fault }) => [name, await fault()] as const));
    const reasons = faults.filter(([, fault]) => fault !== null).map(([name, fault]) => `${name}: ${fault}`);
    if (reasons.length > 0) ctx.throw(503, reasons.join('; '), { expose: true });
    ctx.body = { status: 'ready' };
  };
}

/** `GET /metrics`: returns the counters in Prometheus text format. */
export function metricsPage({ registry }: Pick<Metrics, 'registry'>): Middleware {
  return async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Content-Type', registry.contentType);
    ctx.body = await registry.metrics();
  };
}
