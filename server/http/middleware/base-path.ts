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
 * @example app.use(basePath({ path: '/ads' })); // /ads/healthz is /healthz
 */
export function basePath({ path }: BasePathOptions): Middleware {
  return async (ctx, next) => {
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
