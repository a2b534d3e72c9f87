import type { Context, Middleware } from 'koa';
import { Router } from '@koa/router';
import type { Logger } from 'pino';
import type { Access } from '../access/access.js';
import { apiFaults } from './api-faults.js';
import { ownApi, type OwnApiOptions } from './own/own-api.js';
import { reportsApi, type ReportsApiOptions } from './reports-api.js';
import type { Attempts } from './session/attempts.js';
import { requireRole } from './session/role-routes.js';

export interface AdminApiOptions extends ReportsApiOptions, OwnApiOptions {
  readonly access: Pick<Access, 'check'>;
  /** Counts wrong tokens, here and in the dashboard. */
  readonly attempts: Attempts;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * The API for programs: `/admin/api` and everything below it, with an access token as bearer; passes other requests
 * on.
 */
export function adminApi(options: AdminApiOptions): Middleware {
  const router = new Router({ sensitive: true });
  reportsApi(router, options);
  ownApi(router, options);
  const routes = router.routes();
  const refuseMethod = router.allowedMethods();
  return async (ctx, next) => {
    if (!/^\/admin\/api(\/|$)/.test(ctx.path)) return next();
    requireToken(ctx, options);
    ctx.set('Cache-Control', 'no-store');
    return apiFaults(ctx, options.log, () =>
      routes(ctx as never, () => refuseMethod(ctx as never, async () => undefined)),
    );
  };
}

/**
 * Passes only requests with `Authorization: Bearer TOKEN` whose holder's role suffices. After ten wrong tokens from an
 * address, refuses all its requests for a while.
 */
function requireToken(ctx: Context, { access, attempts, log }: AdminApiOptions): void {
  const wait = attempts.waitSeconds(ctx.ip);
  if (wait > 0) ctx.throw(429, 'too many wrong tokens', { headers: { 'Retry-After': String(wait) } });
  const given = /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1];
  const checked = given === undefined ? undefined : access.check(given);
  if (checked?.valid === true) {
    ctx.state['operator'] = checked.operator;
    return requireRole(ctx, checked.operator);
  }
  const headers = { 'WWW-Authenticate': 'Bearer realm="admin"' };
  // Whoever has an expired token does not guess.
  if (checked?.fault === 'expired') ctx.throw(401, 'this access token has expired', { headers });
  // A request without a token does not count as an attempt.
  if (given !== undefined) {
    attempts.failed(ctx.ip);
    log.warn({ ip: ctx.ip }, 'a wrong access token was sent to the report API');
  }
  return ctx.throw(401, 'administration needs the header "Authorization: Bearer TOKEN", with an access token', {
    headers,
  });
}
