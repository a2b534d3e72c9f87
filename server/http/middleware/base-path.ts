import type { Middleware } from 'koa';
import { API } from '../../domain/urls.js';

export interface BasePathOptions {
  /** The path of the base URL, without a trailing slash; empty: none. */
  readonly path: string;
}

/**
 * Removes the base URL's path, so that the service works below it whether or not a proxy has removed it already. The
 * operators' paths are not available below it.
 *
 * @throws 400 for an absolute URL that cannot be parsed
 * @example app.use(basePath({ path: '/ads' })); // /ads/docs is /docs
 */
export function basePath({ path }: BasePathOptions): Middleware {
  return async (ctx, next) => {
    const address = ctx.req.url ?? '';
    if (!/^[/*]/.test(address)) {
      const own = pathOf(address);
      if (own === null) return ctx.throw(400, 'the address is not a valid URL');
      ctx.req.url = own;
    }
    // Relative URLs in the page at the base itself need the trailing slash.
    if (path !== '' && ctx.path === path) return ctx.redirect(`${path}/`);
    // With a base such as /api, the contract's own paths look as if they still had the prefix.
    const isOurs = ctx.path.startsWith(`${API}/`);
    const below = path !== '' && !isOurs && ctx.path.startsWith(`${path}/`) ? ctx.path.slice(path.length) : null;
    if (below !== null && !OPERATORS.test(below)) ctx.path = below;
    return next();
  };
}

const OPERATORS = /^\/(metrics|readyz|healthz)(\/|$)/;

/**
 * Returns path and query of an absolute URL, which proxies receive; null if it cannot be parsed. Koa's own parsing
 * throws for some, finds no path in others, and makes Node print some of them with everything in them.
 */
function pathOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { pathname, search } = new URL(address);
  return pathname.startsWith('/') ? pathname + search : null;
}
