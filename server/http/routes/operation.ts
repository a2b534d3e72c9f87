import type { Middleware } from 'koa';
import { type ReadinessCheck, TRAFFIC_CHECKS } from '../../operation/readiness.js';
import type { Metrics } from '../../operation/metrics.js';

/** `GET /healthz`: shows that the process responds. */
export function healthz(): Middleware {
  return (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { status: 'ok' };
  };
}

/**
 * `GET /readyz`: returns 200 when every check passes, else 503 with the name and reason of each that fails. With
 * `?for=traffic` it has only the checks without which no match can be served.
 */
export function readyz(checks: readonly ReadinessCheck[]): Middleware {
  const traffic = checks.filter(({ name }) => TRAFFIC_CHECKS.includes(name));
  return async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    const purpose = new URLSearchParams(ctx.querystring).get('for');
    // A misspelt purpose must not look like a server that is not ready.
    if (purpose !== null && purpose !== 'traffic') ctx.throw(400, 'for must be traffic, or absent');
    const wanted = purpose === null ? checks : traffic;
    const faults = await Promise.all(wanted.map(async ({ name, fault }) => [name, await fault()] as const));
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
