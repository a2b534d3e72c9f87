import type { Middleware } from 'koa';

export interface SecurityHeadersOptions {
  /** Content-Security-Policy of answers that set none of their own. */
  readonly contentSecurityPolicy?: string;
}

/**
 * Headers that make a browser treat an answer as what it says it is, and send no referrer.
 * A route that needs another policy sets the header itself.
 *
 * @example app.use(securityHeaders());
 */
export function securityHeaders({
  contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox",
}: SecurityHeadersOptions = {}): Middleware {
  return async (ctx, next) => {
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.set('Referrer-Policy', 'no-referrer');
    ctx.set('Content-Security-Policy', contentSecurityPolicy);
    await next();
  };
}
