import { Router } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import { API } from '../domain/urls.js';
import type { Metrics } from '../operation/metrics.js';
import type { ReadinessCheck } from '../operation/readiness.js';
import type { Takedowns } from '../takedown/live-takedowns.js';
import { errorHandler } from './middleware/error-handler.js';
import { requestDurations, requestLog } from './middleware/observe-requests.js';
import { securityHeaders } from './middleware/response-headers.js';
import { healthz, metricsPage, readyz } from './routes/operation.js';
import { images } from './routes/static-files.js';

export interface OperatorsOptions {
  readonly readiness: readonly ReadinessCheck[];
  readonly metrics: Metrics;
}

export interface OperatorsAppOptions extends OperatorsOptions {
  /** Answers the operator's pages below `/admin`; null: they are on the public port. */
  readonly dashboard: Middleware | null;
  /** Answers programs below `/admin/api`; null: likewise. */
  readonly adminApi: Router | null;
  /** Where the creatives' images lie, which the dashboard shows. */
  readonly imagesDir: string;
  readonly takedowns: Pick<Takedowns, 'hasImage'>;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** What `OPS_PORT` answers, apart from everything public, as a Koa application that does not listen yet. */
export function createOperatorsApp(options: OperatorsAppOptions): Koa {
  const { log, metrics, clock, dashboard, adminApi } = options;
  const app = new Koa();
  app.on('error', (error: unknown) => log.debug({ err: error }, 'an answer broke off'));
  app.use(requestLog({ log, clock }));
  app.use(requestDurations({ metrics }));
  app.use(errorHandler({ log }));
  app.use(securityHeaders());
  if (dashboard !== null) app.use(dashboard);
  if (adminApi !== null) app.use(adminApi.routes()).use(adminApi.allowedMethods());
  const pictures = new Router({ sensitive: true, strict: true });
  if (dashboard !== null)
    pictures.get(`${API}/images/:file`, images({ directory: options.imagesDir, takedowns: options.takedowns }));
  app.use(pictures.routes());
  const router = operatorsRouter(options);
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

/** `/healthz`, `/readyz` and `/metrics`, written exactly so: a proxy's rule for them must meet every way to them. */
export function operatorsRouter({ readiness, metrics }: OperatorsOptions): Router {
  const router = new Router({ sensitive: true, strict: true });
  router.get('/healthz', healthz());
  router.get('/readyz', readyz(readiness));
  router.get('/metrics', metricsPage(metrics));
  return router;
}
