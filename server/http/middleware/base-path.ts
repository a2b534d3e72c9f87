import type { Middleware } from 'koa';
import { API } from '../../domain/urls.js';

export interface BasePathOptions {
  /** The path of the base address, without a slash at the end; empty: none. */
  readonly path: string;
}

/**
 * Takes the base address's path off, so that the service answers below it whether or not a proxy in front took it off
 * already. The operators' paths have no second name below it.
 *
 * @throws 400 for an absolute address that is none
 * @example app.use(basePath({ path: '/ads' })); // /ads/healthz is /healthz
 */
export function basePath({ path }: BasePathOptions): Middleware {
  return async (ctx, next) => {
    const address = ctx.req.url ?? '';
    if (!/^[/*]/.test(address)) {
      const own = pathOf(address);
      if (own === null) return ctx.throw(400, 'the address is not one');
      ctx.req.url = own;
    }
    // Relative addresses of the page at the base itself need the slash.
    if (path !== '' && ctx.path === path) return ctx.redirect(`${path}/`);
    // Below a base such as /api, the contract's own paths look as if they still had it.
    const isOurs = ctx.path.startsWith(`${API}/`);
    const below = path !== '' && !isOurs && ctx.path.startsWith(`${path}/`) ? ctx.path.slice(path.length) : null;
    if (below !== null && !OPERATORS.test(below)) ctx.path = below;
    return next();
  };
}

const OPERATORS = /^\/(metrics|readyz|healthz)(\/|$)/;

/**
 * Path and query of an absolute address, as proxies are sent them; null when it is none. Koa's own reading throws at some,
 * has no path for others, and makes Node print some of them, with all that stands in them.
 */
function pathOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { pathname, search } = new URL(address);
  return pathname.startsWith('/') ? pathname + search : null;
}
