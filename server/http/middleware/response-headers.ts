import type { Middleware } from 'koa';

export interface CorsOptions {
  /** Paths that no page of another origin has a reason to read, such as the operator's. */
  readonly except: RegExp;
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  /** How long a browser may remember the answer to a preflight, in seconds. */
  readonly maxAge: number;
}

/** Of every answer to a page of another origin. */
export const crossOriginHeaders = (exposeHeaders: readonly string[]): Record<string, string> => ({
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Expose-Headers': exposeHeaders.join(', '),
});

/**
 * Lets any site's page call and embed what is public. The answer depends on nothing that the caller sends, so caches need
 * no `Vary: Origin`. Any OPTIONS is answered here, before a key is asked for: browsers send none with it.
 *
 * @example app.use(cors({ except: /^\/metrics/, allowMethods: ['POST'], allowHeaders: ['x-api-key'], exposeHeaders: [], maxAge: 7200 }));
 */
export function cors({ except, allowMethods, allowHeaders, exposeHeaders, maxAge }: CorsOptions): Middleware {
  const { 'Access-Control-Expose-Headers': exposed, ...always } = crossOriginHeaders(exposeHeaders);
  return async (ctx, next) => {
    if (except.test(ctx.path)) return next();
    ctx.set(always);
    if (ctx.method !== 'OPTIONS') {
      ctx.set('Access-Control-Expose-Headers', exposed!);
      return next();
    }
    ctx.set('Access-Control-Allow-Methods', allowMethods.join(', '));
    ctx.set('Access-Control-Allow-Headers', allowHeaders.join(', '));
    ctx.set('Access-Control-Max-Age', String(maxAge));
    ctx.status = 204;
  };
}

export interface SecurityHeadersOptions {
  /** Content-Security-Policy of answers that set none of their own. */
  readonly contentSecurityPolicy?: string;
}

const NO_CONTENT_OF_OTHERS = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Of every answer, by default. */
export const securityHeadersOf = (contentSecurityPolicy = NO_CONTENT_OF_OTHERS): Record<string, string> => ({
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': contentSecurityPolicy,
});

/**
 * Headers that make a browser treat an answer as what it says it is, and send no referrer.
 * A route that needs another policy sets the header itself.
 *
 * @example app.use(securityHeaders());
 */
export function securityHeaders({ contentSecurityPolicy }: SecurityHeadersOptions = {}): Middleware {
  const headers = securityHeadersOf(contentSecurityPolicy);
  return async (ctx, next) => {
    ctx.set(headers);
    await next();
  };
}
