import type { Middleware, ParameterizedContext } from 'koa';
import { API } from '../../domain/urls.js';

export interface BasePathOptions {
  /** The path of the base address, without a slash at the end; empty: none. */
  readonly path: string;
}

/**
 * Takes the base address's path off, so that the service answers below it whether or not a proxy in front took it off
 * already.
 *
 * @throws 400 for an address without any path
 * @example app.use(basePath({ path: '/ads' })); // /ads/healthz is /healthz
 */
export function basePath({ path }: BasePathOptions): Middleware {
  return async (ctx, next) => {
    if (!hasPath(ctx)) return ctx.throw(400, 'the address has no path');
    // Relative addresses of the page at the base itself need the slash.
    if (path !== '' && ctx.path === path) return ctx.redirect(`${path}/`);
    // Below a base such as /api, the contract's own paths look as if they still had it.
    const isOurs = ctx.path.startsWith(`${API}/`);
    if (path !== '' && !isOurs && ctx.path.startsWith(`${path}/`)) ctx.path = ctx.path.slice(path.length);
    return next();
  };
}

/** An absolute address may lack one (`http://?/healthz`), or be none (`http://[/healthz`); nothing below expects that. */
function hasPath(ctx: ParameterizedContext): boolean {
  try {
    return typeof (ctx.path as unknown) === 'string';
  } catch {
    return false;
  }
}
