import type { ParameterizedContext } from 'koa';

/** The pattern of the route that answered, such as `/sdk/:file`; `unmatched` when none did. */
export function routeOf(ctx: ParameterizedContext): string {
  const { _matchedRoute: route } = ctx as { _matchedRoute?: string | RegExp };
  return route === undefined ? 'unmatched' : String(route);
}
