import { Router } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import { API } from '../domain/urls.js';
import type { Metrics } from '../operation/metrics.js';
import type { ReadinessCheck } from '../operation/readiness.js';
import type { Takedowns } from '../takedown/live-takedowns.js';
import { errorHandler, logCutResponse } from './middleware/error-handler.js';
import { requestDurations, requestLog } from './middleware/observe-requests.js';
import { securityHeaders } from './middleware/response-headers.js';
import { healthz, metricsPage, readyz } from './routes/operation.js';
import { images } from './routes/static-files.js';

export interface OperatorsOptions {
  readonly readiness: readonly ReadinessCheck[];
  readonly metrics: Metrics;
}

export interface OperatorsAppOptions extends OperatorsOptions {
  /** Serves the dashboard below `/admin`; null: it is on the public port. */
  readonly dashboard: Middleware | null;
  /** Serves the API for programs below `/admin/api`; null: it is on the public port. */
  readonly adminApi: Middleware | null;
  /** Directory of the creatives' images, which the dashboard shows. */
  readonly imagesDir: string;
  readonly takedowns: Pick<Takedowns, 'hasImage'>;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/**
 * Creates the service on `OPS_PORT`, separate from everything public, as a Koa application that is not listening yet.
 */
export function createOperatorsApp(options: OperatorsAppOptions): Koa {
  const { log, metrics, clock, dashboard, adminApi } = options;
  const app = new Koa();
  app.on('error', logCutResponse(log));
  app.use(requestLog({ log, clock }));
  app.use(requestDurations({ metrics }));
  app.use(errorHandler({ log }));
  app.use(securityHeaders());
  if (dashboard !== null) app.use(dashboard);
  if (adminApi !== null) app.use(adminApi);
  const imageRouter = new Router({ sensitive: true, strict: true });
  if (dashboard !== null)
    imageRouter.get(`${API}/images/:file`, images({ directory: options.imagesDir, takedowns: options.takedowns }));
  app.use(imageRouter.routes());
  const router = operatorsRouter(options);
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

/**
 * Returns the router of `/healthz`, `/readyz` and `/metrics`, which matches exactly these spellings: a proxy rule for
 * them must cover every path that reaches them.
 */
export function operatorsRouter({ readiness, metrics }: OperatorsOptions): Router {
  const router = new Router({ sensitive: true, strict: true });
  router.get('/healthz', healthz());
  router.get('/readyz', readyz(readiness));
  router.get('/metrics', metricsPage(metrics));
  return router;
}
