import type { Context, Middleware } from 'koa';
import { hrefOf, type PageSession } from '../rendering/show.js';
import type { SessionCookie, Sessions } from './sessions.js';
import { MAX_BYTES_IN_SESSION, readForm } from './read-form.js';
import { equalSecrets } from '../../domain/secrets.js';

/** What the gate leaves behind for the pages after it. */
export interface AdminState {
  session: PageSession;
  /** The form that was sent; empty for a page that is only looked at. */
  form: URLSearchParams;
}

export interface RequireSessionOptions {
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  /** Absolute address of the dashboard. */
  readonly base: URL;
}

/**
 * Lets only those pass who are signed in, and only forms of their own pages: what changes something needs the session's
 * form token and must not come from another site. Others are sent to sign in, and come back to the page they wanted; where they
 * sent a form, to the page it stood in, and are told that nothing was changed.
 */
export function requireSession({ sessions, cookie, base }: RequireSessionOptions): Middleware<AdminState> {
  return async (ctx, next) => {
    const id = cookie.read(ctx);
    const session = await sessions.find(id);
    if (session === undefined) {
      sendToSignIn(ctx, base);
      return;
    }
    ctx.state.session = session;
    ctx.state.form = new URLSearchParams();
    if (!isOnlyLookedAt(ctx)) {
      ctx.state.form = await readForm(ctx, base.origin, MAX_BYTES_IN_SESSION);
      if (!equalSecrets(ctx.state.form.get('formToken') ?? '', session.formToken)) {
        ctx.throw(403, 'this form is not of your session; open the page again');
      }
    }
    await next();
    await sessions.keep(id, session);
  };
}

function sendToSignIn(ctx: Context, base: URL): void {
  const looked = isOnlyLookedAt(ctx);
  const wanted = looked ? ctx.path.slice('/admin'.length) + ctx.search : pageOfForm(ctx, base);
  ctx.status = 303;
  ctx.set(
    'Location',
    hrefOf(`${base.pathname}/sign-in`, { ended: looked ? '' : '1', next: wanted === '/' ? '' : wanted }),
  );
  ctx.body = '';
}

function isOnlyLookedAt({ method }: Context): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The page whose form was sent, as the browser names it; the first one where it names none of the dashboard's. */
function pageOfForm(ctx: Context, base: URL): string {
  const referer = ctx.get('referer');
  if (!URL.canParse(referer)) return '/';
  const { origin, host, pathname, search } = new URL(referer);
  // It may also have been opened under the name that the request was sent to.
  const isOurs = origin === base.origin || host === ctx.get('host');
  return isOurs && pathname.startsWith(`${base.pathname}/`) ? pathname.slice(base.pathname.length) + search : '/';
}
