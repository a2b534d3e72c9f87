import type { Context, Middleware } from 'koa';
import type { Access, Operator } from '../../access/access.js';
import { hrefOf, type PageSession } from '../rendering/show.js';
import { seeOther } from '../rendering/see-other.js';
import type { SessionCookie, Sessions } from './sessions.js';
import { MAX_BYTES_IN_SESSION, readForm } from './read-form.js';
import { equalSecrets } from '../../domain/secrets.js';
import { homeOf, mayRequest, requireRole } from './role-routes.js';

/** The state that `requireSession` sets for the pages after it. */
export interface AdminState {
  session: PageSession;
  /** Who is signed in, as of this request. */
  operator: Operator;
  /** Returns whether the operator may send a request, with a path below the dashboard's. */
  may: (method: string, page: string) => boolean;
  /** The form that was sent; empty for a page that is only viewed. */
  form: URLSearchParams;
}

export interface RequireSessionOptions {
  readonly sessions: Sessions;
  readonly access: Pick<Access, 'find'>;
  readonly cookie: SessionCookie;
  /** Absolute address of the dashboard. */
  readonly base: URL;
}

/**
 * Passes only signed-in operators, as far as their role goes, and only forms of their own pages: a form needs the
 * session's form token and must not come from another site. A session ends with its access token. Redirects others to
 * sign in, from where they return to the page that they wanted. If they sent a form, they return to the form's page, and
 * the sign-in page says that nothing was changed.
 */
export function requireSession({ sessions, access, cookie, base }: RequireSessionOptions): Middleware<AdminState> {
  return async (ctx, next) => {
    const id = cookie.read(ctx);
    const session = await sessions.find(id);
    const operator = session === undefined ? undefined : access.find(session.tokenId);
    if (session === undefined || operator === undefined) {
      // Not ended: this node may not know a new token yet with which another has opened it.
      sendToSignIn(ctx, base);
      return;
    }
    ctx.state.session = session;
    ctx.state.operator = operator;
    ctx.state.may = (method, page) => mayRequest(operator, method, page);
    ctx.state.form = new URLSearchParams();
    if (isOnlyViewed(ctx) && ctx.path === '/admin/' && homeOf(operator) !== '/') {
      seeOther(ctx, base.pathname + homeOf(operator));
      return;
    }
    requireRole(ctx, operator);
    if (!isOnlyViewed(ctx)) {
      ctx.state.form = await readForm(ctx, base.origin, MAX_BYTES_IN_SESSION);
      if (!equalSecrets(ctx.state.form.get('formToken') ?? '', session.formToken)) {
        ctx.throw(403, 'this form does not belong to your session; open the page again');
      }
    }
    await next();
    await sessions.saveNotices(id, session);
  };
}

function sendToSignIn(ctx: Context, base: URL): void {
  const viewed = isOnlyViewed(ctx);
  const wanted = viewed ? ctx.path.slice('/admin'.length) + ctx.search : pageOfForm(ctx, base);
  seeOther(ctx, hrefOf(`${base.pathname}/sign-in`, { ended: viewed ? '' : '1', next: wanted === '/' ? '' : wanted }));
}

function isOnlyViewed({ method }: Context): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Returns the page whose form was sent, by the Referer, as a path below the dashboard's; the overview if that is no
 * page of the dashboard.
 */
export function pageOfForm(ctx: Pick<Context, 'get'>, base: URL): string {
  const referer = ctx.get('referer');
  if (!URL.canParse(referer)) return '/';
  const { origin, host, pathname, search } = new URL(referer);
  // The page may also have been opened under the host that the request was sent to.
  const isOurs = origin === base.origin || host === ctx.get('host');
  return isOurs && pathname.startsWith(`${base.pathname}/`) ? pathname.slice(base.pathname.length) + search : '/';
}
