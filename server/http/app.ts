import { Router } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Decide } from '../domain/decision.js';
import { docsPage } from './docs/page.js';
import { openApi } from './docs/openapi.js';
import type { CountEvent } from '../events/count-event.js';
import type { Keys } from '../domain/publisher.js';
import type { Ledger } from '../ledger/ledger.js';
import { basePath } from './middleware/base-path.js';
import { cors } from './middleware/cors.js';
import { errorFunnel } from './middleware/error-funnel.js';
import { keyCheck, type KeyState } from './middleware/key-check.js';
import { rateLimit } from './middleware/rate-limit.js';
import { requestDurations } from './middleware/request-durations.js';
import { requestLog } from './middleware/request-log.js';
import { securityHeaders } from './middleware/security-headers.js';
import type { Metrics } from '../operation/metrics.js';
import type { ReadinessCheck } from '../operation/readiness.js';
import type { RequestIds } from '../domain/claims.js';
import { API, createAddresses } from '../domain/addresses.js';
import { beacon } from './routes/beacon.js';
import { demo, demoConfig } from './routes/demo.js';
import { healthz, readyz } from './routes/health.js';
import { images } from './routes/images.js';
import { match } from './routes/match.js';
import { metricsPage } from './routes/metrics.js';
import { script } from './routes/script.js';
import { target, type LandingUrls } from './routes/target.js';

/** All that the service needs from outside. Whoever made a part closes it. */
export interface AppDeps {
  /** What the world calls us, without a slash at the end. */
  readonly baseUrl: string;
  readonly trustProxy: number;
  readonly maxBodyBytes: number;
  readonly keys: Pick<Keys, 'check'>;
  readonly decide: Decide;
  readonly requestIds: RequestIds;
  readonly ledger: Pick<Ledger, 'countDecision'>;
  readonly countEvent: CountEvent;
  readonly creatives: LandingUrls;
  readonly readiness: readonly ReadinessCheck[];
  /** Where the creatives' images lie. */
  readonly imagesDir: string;
  /** Where the built browser script lies. */
  readonly scriptDir: string;
  /** The demo page's folder and its key; null: no demo. */
  readonly demo: { readonly directory: string; readonly apiKey: string } | null;
  /** Answers the operator's pages below `/admin`; null: there are none. */
  readonly dashboard: Middleware | null;
  /** What programs ask below `/admin/api`; null: nothing. */
  readonly adminApi: Router | null;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** The HTTP service as a Koa application, not yet listening. */
export function createApp(deps: AppDeps): Koa {
  const { baseUrl, log, metrics, clock } = deps;
  const app = new Koa({ proxy: deps.trustProxy > 0, maxIpsCount: deps.trustProxy });
  // What reaches Koa itself went wrong after the answer began: a caller that went away, a file that broke off.
  app.on('error', (error: unknown) => log.debug({ err: error }, 'an answer broke off'));

  app.use(requestLog({ log, clock }));
  app.use(requestDurations({ metrics }));
  app.use(errorFunnel({ log }));
  app.use(basePath({ path: new URL(baseUrl).pathname.replace(/\/$/, '') }));
  app.use(securityHeaders());
  app.use(cors(PUBLIC));
  if (deps.dashboard !== null) app.use(deps.dashboard);
  if (deps.adminApi !== null) app.use(deps.adminApi.routes());
  const router = createRouter(deps);
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

const PUBLIC = {
  except: /^\/(metrics|healthz|readyz|admin)(\/|$)/,
  allowMethods: ['GET', 'HEAD', 'POST'],
  allowHeaders: ['content-type', 'x-api-key', 'x-session-id'],
  exposeHeaders: ['x-adjacent-reason', 'retry-after'],
  maxAge: 7200,
};

function createRouter(deps: AppDeps): Router<KeyState> {
  const { baseUrl, keys, metrics, clock } = deps;
  const router = new Router<KeyState>({ sensitive: true });
  router.post(
    `${API}/match`,
    keyCheck({ keys, metrics }),
    rateLimit({ clock }),
    match({ ...deps, addresses: createAddresses(baseUrl), limitBytes: deps.maxBodyBytes }),
  );
  router.get(`${API}/beacon`, beacon(deps));
  router.get(`${API}/target/:creativeId`, target(deps));
  router.get(`${API}/images/:file`, images({ directory: deps.imagesDir }));
  router.get('/sdk/:file', script({ directory: deps.scriptDir }));

  const page = { directory: deps.demo?.directory ?? null, apiKey: deps.demo?.apiKey ?? null, baseUrl };
  router.get('/demo/config.json', demoConfig(page));
  router.get(['/', '/demo/:file'], demo(page));

  const contract = openApi({ baseUrl, maxBodyBytes: deps.maxBodyBytes });
  router.get('/openapi.json', (ctx) => {
    ctx.set('Cache-Control', 'no-cache');
    ctx.body = contract;
  });
  router.get('/docs', docsPage(contract));
  router.get('/healthz', healthz());
  router.get('/readyz', readyz(deps.readiness));
  router.get('/metrics', metricsPage(metrics));
  return router;
}
