import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { Router } from '@koa/router';
import type { Middleware } from 'koa';
import { createCalendar } from '../../models/time/calendar.js';
import { sendFile } from '../http/body/send-file.js';
import { createCatalogue } from './pages/catalogue.js';
import { faultPage } from './view/fault-page.js';
import { campaigns } from './pages/campaigns.js';
import { creative } from './pages/creative.js';
import { creatives } from './pages/creatives.js';
import { explain } from './pages/explain.js';
import { keys } from './pages/keys.js';
import { overview } from './pages/overview.js';
import { publisher, publishers } from './pages/publishers.js';
import { reports, reportsCsv } from './pages/reports.js';
import { snapshots } from './pages/snapshots.js';
import { system } from './pages/system.js';
import type { DashboardDeps, Parts } from './pages/parts.js';
import { createPlots } from './plots/plot-thread.js';
import { createAttempts } from './session/attempts.js';
import { sessionCookie } from './session/cookie.js';
import { gate, type AdminState } from './session/gate.js';
import { signIn, signOut } from './session/sign-in.js';
import { createSessions } from './session/sessions.js';
import { createShow } from './view/show.js';
import { createRender } from './view/render.js';

const ASSETS = fileURLToPath(new URL('../../../server/admin/assets/', import.meta.url));

export interface Dashboard {
  /** Answers what lies at `/admin` and below; passes everything else on. */
  readonly routes: Middleware;
  close(): Promise<void>;
}

/** The operator's pages: server-rendered, without script. */
export function createDashboard(deps: DashboardDeps): Dashboard {
  const base = new URL(`${deps.baseUrl}/admin`);
  const { timeZone, currency } = deps.config;
  const plots = createPlots(deps.log);
  const show = createShow({ render: createRender(), path: base.pathname, timeZone, currency });
  const parts: Parts = {
    ...deps,
    path: base.pathname,
    basePath: new URL(deps.baseUrl).pathname.replace(/\/$/, ''),
    calendar: createCalendar(timeZone),
    catalogue: createCatalogue(deps.index),
    plots,
    show,
  };
  const doors = {
    ...parts,
    base,
    sessions: createSessions(deps.clock),
    attempts: createAttempts(deps.clock),
    cookie: sessionCookie(base),
  };

  const open = new Router<AdminState>({ prefix: '/admin', sensitive: true });
  open.get('/assets/:file', asset);
  signIn(open, doors);
  const closed = new Router<AdminState>({ prefix: '/admin', sensitive: true });
  closed.use(gate(doors));
  closed.get('/', overview(parts));
  closed.get('/reports', reports(parts));
  closed.get('/reports.csv', reportsCsv(parts));
  closed.get('/creatives', creatives(parts));
  closed.get('/creative', creative(parts));
  closed.get('/publishers', publishers(parts));
  closed.get('/publisher', publisher(parts));
  closed.get('/system', system(parts));
  campaigns(closed, parts);
  snapshots(closed, parts);
  keys(closed, parts);
  explain(closed, parts);
  signOut(closed, doors);

  const router = new Router();
  router.use(open.routes(), closed.routes());
  const answer = router.routes();
  const wrong = router.allowedMethods();
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
      return faultPage(ctx, { show, log: deps.log }, async () => {
        await answer(ctx as never, async () => {
          await wrong(ctx as never, async () => undefined);
        });
      });
    },
    close: () => plots.close(),
  };
}

/** Names of our own files; nothing hidden, no way up. */
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
    // With none at all, browsers would send our own forms with the origin "null".
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    'X-Robots-Tag': 'noindex',
    ...(base.protocol === 'https:' ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}
