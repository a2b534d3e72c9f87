import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { createCalendar } from '../../platform/time/calendar.js';
import { sendFile } from '../http/body/send-file.js';
import { createRender } from '../templates/render.js';
import { createCatalogue, type DashboardOptions, type PageOptions } from './pages/page-options.js';
import { faultPage } from './rendering/fault-page.js';
import { advertiser } from './pages/advertiser.js';
import { audit } from './pages/audit.js';
import { campaigns } from './pages/campaigns.js';
import { creative } from './pages/creative.js';
import { creatives } from './pages/creatives.js';
import { explainPage } from './pages/explain.js';
import { invoice, invoices } from './pages/invoices.js';
import { keys } from './pages/keys.js';
import { overview } from './pages/overview.js';
import { publisher, publishers } from './pages/publishers.js';
import { reports, reportsCsv } from './pages/reports.js';
import { snapshots } from './pages/snapshots.js';
import { system } from './pages/system.js';
import { takedowns } from './pages/takedowns.js';
import { ownInvoice } from './own/own-invoice.js';
import { ownCsv, ownPage } from './own/own-page.js';
import { createPlots } from './plots/plot-thread.js';
import { clusterSessions } from './session/cluster-sessions.js';
import { createSessions, sessionCookie } from './session/sessions.js';
import { type AdminState, requireSession } from './session/require-session.js';
import { signIn, signOut } from './session/sign-in.js';
import { createShow } from './rendering/show.js';

const ASSETS = fileURLToPath(new URL('../../../server/admin/assets/', import.meta.url));

export interface Dashboard {
  /** Handles `/admin` and everything below it except the API; passes other requests on. */
  readonly routes: Middleware;
  close(): Promise<void>;
}

/** Creates the operator's pages, rendered on the server without script. */
export function createDashboard(options: DashboardOptions): Dashboard {
  const base = new URL(`${options.baseUrl}/admin`);
  const { timeZone, currency } = options.config;
  const plots = createPlots(options.log);
  const show = createShow({ render: createRender('admin/views'), path: base.pathname, timeZone, currency });
  const pageOptions: PageOptions = {
    ...options,
    path: base.pathname,
    basePath: new URL(options.baseUrl).pathname.replace(/\/$/, ''),
    calendar: createCalendar(timeZone),
    catalogue: createCatalogue(options.index),
    plots,
    show,
  };
  const signInOptions = {
    ...pageOptions,
    base,
    sessions:
      options.cluster === null ? createSessions(options.clock) : clusterSessions(options.cluster, options.adminToken),
    cookie: sessionCookie(base),
  };

  const unguarded = new Router<AdminState>({ prefix: '/admin', sensitive: true });
  unguarded.get('/assets/:file', asset);
  signIn(unguarded, signInOptions);
  const guarded = new Router<AdminState>({ prefix: '/admin', sensitive: true });
  guarded.use(requireSession(signInOptions));
  guarded.get('/', overview(pageOptions));
  guarded.get('/reports', reports(pageOptions));
  guarded.get('/reports.csv', reportsCsv(pageOptions));
  guarded.get('/creatives', creatives(pageOptions));
  guarded.get('/creative', creative(pageOptions));
  guarded.get('/publishers', publishers(pageOptions));
  guarded.get('/publisher', publisher(pageOptions));
  guarded.get('/advertiser', advertiser(pageOptions));
  guarded.get('/invoices', invoices(pageOptions));
  guarded.get('/invoice', invoice(pageOptions));
  guarded.get('/own', ownPage(pageOptions));
  guarded.get('/own.csv', ownCsv(pageOptions));
  guarded.get('/own/invoice', ownInvoice(pageOptions));
  guarded.get('/system', system(pageOptions));
  guarded.get('/audit', audit(pageOptions));
  campaigns(guarded, pageOptions);
  takedowns(guarded, pageOptions);
  snapshots(guarded, pageOptions);
  keys(guarded, pageOptions);
  explainPage(guarded, pageOptions);
  signOut(guarded, signInOptions);

  const router = new Router();
  router.use(unguarded.routes(), guarded.routes());
  const routes = router.routes();
  const refuseMethod = router.allowedMethods();
  const headers = headersOf(base);
  return {
    routes: async (ctx, next) => {
      if (!/^\/admin(\/|$)/.test(ctx.path) || /^\/admin\/api(\/|$)/.test(ctx.path)) return next();
      ctx.set(headers);
      if (ctx.path === '/admin') {
        ctx.status = 308;
        ctx.set('Location', `${base.pathname}/${ctx.search}`);
        ctx.body = '';
        return undefined;
      }
      return faultPage(ctx, { show, log: options.log }, async () => {
        await routes(ctx as never, async () => {
          await refuseMethod(ctx as never, async () => undefined);
        });
      });
    },
    close: () => plots.close(),
  };
}

/** File names of assets: no hidden files, no paths. */
const FILE = /^[a-z][a-z-]*\.(css|svg)$/;

const asset: Middleware = async (ctx) => {
  const file = String((ctx as unknown as { params: Record<string, string> }).params['file']);
  if (!FILE.test(file) || !(await sendFile(ctx, join(ASSETS, file), { cacheControl: 'no-cache' }))) {
    return ctx.throw(404, 'there is nothing at this path');
  }
  ctx.type = file.endsWith('.css') ? 'text/css; charset=utf-8' : 'image/svg+xml';
  return undefined;
};

function headersOf(base: URL): Record<string, string> {
  return {
    'Content-Security-Policy':
      "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    'Cache-Control': 'no-store',
    // With `no-referrer`, browsers would send our own forms with the origin "null".
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    'X-Robots-Tag': 'noindex',
    ...(base.protocol === 'https:' ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}
