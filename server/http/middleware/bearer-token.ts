import type { Middleware } from 'koa';
import { equalSecrets } from '../../domain/same-secret.js';

export interface BearerTokenOptions {
  readonly token: string;
}

/**
 * Lets only requests with `Authorization: Bearer TOKEN` pass, compared in constant time.
 *
 * @example router.get('/admin/api/reports', bearerToken({ token }), answer);
 */
export function bearerToken({ token }: BearerTokenOptions): Middleware {
  return async (ctx, next) => {
    const given = /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1];
    if (given === undefined || !equalSecrets(given, token)) {
      ctx.throw(401, 'administration needs the header "Authorization: Bearer ADMIN_TOKEN"', {
        headers: { 'WWW-Authenticate': 'Bearer realm="admin"' },
      });
    }
    await next();
  };
}
