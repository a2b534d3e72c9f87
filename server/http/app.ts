import { Router } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import type { Decide } from '../domain/decision.js';
import type { Admission } from '../decide/admission.js';
import { createRateLimits } from '../keys/rate-limits.js';
import { createBodyMemoryLimit } from './body/body-memory-limit.js';
import { docsPage } from './docs/page.js';
import { openApi } from './docs/openapi.js';
import type { CatchUp } from '../live-index/catch-up.js';
import type { CountEvent } from '../events/count-event.js';
import type { Keys } from '../domain/publisher.js';
import type { Ledger } from '../ledger/tables/ledger.js';
import { basePath } from './middleware/base-path.js';
import { cors, crossOriginHeaders, securityHeaders, securityHeadersOf } from './middleware/response-headers.js';
import { errorHandler, logCutResponse } from './middleware/error-handler.js';
import { admit } from './middleware/admit.js';
import { keyCheck, type KeyState } from './middleware/publisher-key.js';
import { warnOfUntrustedProxy } from './middleware/untrusted-proxy.js';
import { requestDurations, requestLog } from './middleware/observe-requests.js';
import type { Metrics } from '../operation/metrics.js';
import type { ReadinessCheck } from '../operation/readiness.js';
import type { RequestIds } from '../domain/claims.js';
import type { Takedowns } from '../takedown/live-takedowns.js';
import { API, createAdUrls } from '../domain/urls.js';
import { beacon, beaconFastPath, type LandingUrlLookup, target } from './routes/tracking.js';
import { demo, demoConfig, images, script } from './routes/static-files.js';
import { match } from './routes/match.js';
import { operatorsRouter } from './operators-app.js';

/** The dependencies of the HTTP service. The caller closes what it passes in. */
export interface AppOptions {
  /** Public base URL, without a slash at the end. */
  readonly baseUrl: string;
  readonly trustProxy: number;
  readonly maxBodyBytes: number;
  /** Header in which a proxy names the client's country; null: none does. */
  readonly countryHeader: string | null;
  readonly keys: Pick<Keys, 'check'>;
  readonly decide: Decide;
  /** Queue of match requests, fair across keys and addresses. */
  readonly admission: Admission;
  readonly requestIds: RequestIds;
  readonly ledger: Pick<Ledger, 'countDecision'>;
  readonly countEvent: CountEvent;
  readonly creatives: LandingUrlLookup;
  readonly takedowns: Pick<Takedowns, 'has' | 'hasImage'>;
  /** Absent: this server has no other nodes. */
  readonly catchUp?: CatchUp;
  /** Checks behind `/readyz`; null: the operators' paths are served on another port. */
  readonly readiness: readonly ReadinessCheck[] | null;
  /** Directory of the creatives' images. */
  readonly imagesDir: string;
  /** Directory of the built browser script. */
  readonly scriptDir: string;
  /** Directory of the pinned scripts of earlier releases. */
  readonly keptScriptsDir: string;
  /** The demo page's directory and key; null: no demo. */
  readonly demo: { readonly directory: string; readonly apiKey: string } | null;
  /** Serves the dashboard below `/admin`; null: not served here. */
  readonly dashboard: Middleware | null;
  /** Serves the API for programs below `/admin/api`; null: not served here. */
  readonly adminApi: Middleware | null;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** Creates the HTTP service as a Koa application that is not listening yet. */
export function createApp(options: AppOptions): Koa {
  const { baseUrl, log, metrics, clock } = options;
  const app = new Koa({ proxy: options.trustProxy > 0, maxIpsCount: options.trustProxy });
  // Only errors after the response began reach Koa: the client disconnected, or reading a file failed.
  app.on('error', logCutResponse(log));

  app.use(requestLog({ log, clock }));
  app.use(requestDurations({ metrics }));
  app.use(warnOfUntrustedProxy({ trustProxy: options.trustProxy, log }));
  app.use(errorHandler({ log }));
  app.use(basePath({ path: new URL(baseUrl).pathname.replace(/\/$/, '') }));
  const headers = { ...securityHeadersOf(), ...crossOriginHeaders(PUBLIC.exposeHeaders) };
  app.use(beaconFastPath({ ...options, headers }));
  app.use(securityHeaders());
  app.use(cors(PUBLIC));
  if (options.dashboard !== null) app.use(options.dashboard);
  if (options.adminApi !== null) app.use(options.adminApi);
  const router = createRouter(options);
  const { readiness } = options;
  if (readiness !== null) {
    const operators = operatorsRouter({ readiness, metrics });
    app.use(operators.routes());
    app.use(operators.allowedMethods());
  }
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

const PUBLIC = {
  except: /^\/(metrics|healthz|readyz|admin)(\/|$)/,
  allowMethods: ['GET', 'HEAD', 'POST'],
  allowHeaders: ['content-type', 'x-api-key', 'x-session-id', 'x-adjacent-no-ad'],
  exposeHeaders: ['x-adjacent-reason', 'retry-after'],
  maxAge: 7200,
};

function createRouter(options: AppOptions): Router<KeyState> {
  const { baseUrl, keys, metrics, clock, admission, maxBodyBytes: limitBytes } = options;
  const rateLimits = createRateLimits(clock);
  const router = new Router<KeyState>({ sensitive: true });
  router.post(
    `${API}/match`,
    keyCheck({ keys, metrics }),
    admit({ admission, rateLimits, bodyMemory: createBodyMemoryLimit(), limitBytes }),
    match({ ...options, addresses: createAdUrls(baseUrl), rateLimits, limitBytes }),
  );
  router.get(`${API}/beacon`, beacon(options));
  router.get(`${API}/target/:creativeId`, target(options));
  router.get(`${API}/images/:file`, images({ ...options, directory: options.imagesDir }));
  router.get('/sdk/:file', script({ directory: options.scriptDir, keptDirectory: options.keptScriptsDir }));

  const page = { directory: options.demo?.directory ?? null, apiKey: options.demo?.apiKey ?? null, baseUrl };
  router.get('/demo/config.json', demoConfig(page));
  router.get(['/', '/demo/:file'], demo(page));

  const reports = options.adminApi !== null;
  const contract = openApi({ baseUrl, maxBodyBytes: limitBytes, operators: options.readiness !== null, reports });
  // Serialised once and shared by all connections.
  const document = Buffer.from(JSON.stringify(contract));
  router.get('/openapi.json', (ctx) => {
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'json';
    ctx.body = document;
  });
  router.get('/docs', docsPage(contract));
  return router;
}
