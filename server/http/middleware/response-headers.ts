import type { Middleware } from 'koa';

export interface CorsOptions {
  /** Paths that no page of another origin needs to read, such as the operators'. */
  readonly except: RegExp;
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  /** How long a browser may cache a preflight response, in seconds. */
  readonly maxAge: number;
}

/** Headers of every response to a page of another origin. */
export const crossOriginHeaders = (exposeHeaders: readonly string[]): Record<string, string> => ({
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Expose-Headers': exposeHeaders.join(', '),
});

/**
 * Lets the pages of any site call and embed the public paths. The headers do not depend on the origin, so caches need
 * no `Vary: Origin`. Every OPTIONS request is answered here, before the key check: browsers send no key with it. A
 * preflight may name any headers, since tools that trace a page's requests add their own (`traceparent`, `baggage`,
 * `sentry-trace`): these paths use no cookies, so a page can send nothing that another client could not.
 *
 * @example app.use(cors({ except: /^\/metrics/, allowMethods: ['POST'], allowHeaders: ['x-api-key'], exposeHeaders: [],
 * maxAge: 7200 }));
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
    const requested = ctx.get('access-control-request-headers').split(',').map(trimmed).filter(isToken);
    ctx.set('Access-Control-Allow-Headers', [...new Set([...allowHeaders, ...requested])].join(', '));
    ctx.vary('Access-Control-Request-Headers');
    ctx.set('Access-Control-Max-Age', String(maxAge));
    ctx.status = 204;
  };
}

const trimmed = (name: string): string => name.trim().toLowerCase();

/** Whether a text is a header's name, by the characters that RFC 9110 allows. */
const isToken = (name: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(name);

export interface SecurityHeadersOptions {
  /** Content-Security-Policy of responses that set none of their own. */
  readonly contentSecurityPolicy?: string;
}

const NO_CONTENT_OF_OTHERS = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Default headers of every response. */
export const securityHeadersOf = (contentSecurityPolicy = NO_CONTENT_OF_OTHERS): Record<string, string> => ({
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': contentSecurityPolicy,
});

/**
 * Sets headers that stop browsers from guessing content types and from sending a referrer. A route that needs another
 * policy sets the header itself.
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
