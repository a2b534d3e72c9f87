import type { Router } from '@koa/router';
import type { Logger } from 'pino';
import type { Access, Operator } from '../../access/access.js';
import type { Show } from '../rendering/show.js';
import { seeOther } from '../rendering/see-other.js';
import type { Attempts } from './attempts.js';
import type { SessionCookie, Sessions } from './sessions.js';
import type { AdminState } from './require-session.js';
import { homeOf } from './role-routes.js';
import { MAX_SIGN_IN_BYTES, readForm } from './read-form.js';

export interface SignInOptions {
  readonly access: Pick<Access, 'check'>;
  readonly sessions: Sessions;
  readonly attempts: Attempts;
  readonly cookie: SessionCookie;
  readonly base: URL;
  readonly show: Show;
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

/** `GET` and `POST /admin/sign-in`: opens a session with an access token. Works without a session. */
export function signIn(router: Router<AdminState>, options: SignInOptions): void {
  const { access, sessions, attempts, cookie, base, show, log } = options;
  router.get('/sign-in', (ctx) => {
    const { next = '', ended } = ctx.query;
    show(ctx, 'sign-in', { title: 'Sign in', next, ended: ended === '1', fault: null });
  });
  router.post('/sign-in', async (ctx) => {
    const form = await readForm(ctx, base.origin, MAX_SIGN_IN_BYTES);
    const next = form.get('next') ?? '';
    const again = (status: number, fault: string): void => {
      show(ctx, 'sign-in', { title: 'Sign in', next, ended: false, fault });
      ctx.status = status;
    };
    const wait = attempts.waitSeconds(ctx.ip);
    if (wait > 0) {
      ctx.set('Retry-After', String(wait));
      return again(429, `Too many attempts. Try again in ${Math.ceil(wait / 60)} min.`);
    }
    const checked = access.check((form.get('token') ?? '').trim());
    if (!checked.valid) {
      // Whoever has an expired token does not guess.
      if (checked.fault === 'expired') return again(403, 'This access token has expired.');
      attempts.failed(ctx.ip);
      log.warn({ ip: ctx.ip }, 'a sign-in to the dashboard failed');
      return again(403, 'This is not an access token of this installation.');
    }
    const { operator } = checked;
    const { name, tokenId } = operator;
    log.info({ operator: name }, 'signed in to the dashboard');
    cookie.write(ctx, await sessions.create(tokenId));
    seeOther(ctx, placeFor(operator, base, next));
  });
}

/** `POST /admin/sign-out`: ends the session. Needs one. */
export function signOut(
  router: Router<AdminState>,
  { sessions, cookie, base }: Pick<SignInOptions, 'sessions' | 'cookie' | 'base'>,
): void {
  router.post('/sign-out', async (ctx) => {
    await sessions.end(cookie.read(ctx));
    cookie.clear(ctx);
    seeOther(ctx, `${base.pathname}/sign-in`);
  });
}

/** Returns where to go after signing in: advertisers and publishers to their own page, with its period if they had one. */
function placeFor(operator: Operator, base: URL, next: string): string {
  const home = homeOf(operator);
  return home === '/' || /^\/own(\.csv)?(\?|$)/.test(next) ? placeBelow(base, next) : base.pathname + home;
}

/**
 * Returns the page that was wanted, or the overview: never an address outside the dashboard. Instead of a download,
 * after which sign-in would stay on the screen, or an invoice, which has no links, the page that offers it.
 */
function placeBelow(base: URL, next: string): string {
  const first = `${base.pathname}/`;
  const { pathname, search } = new URL(base.pathname + (next.startsWith('/') ? next : '/'), base.origin);
  if (!pathname.startsWith(first)) return first;
  const page = pathname.slice(first.length);
  return first + (OFFERED_BY.get(page) ?? page) + search;
}

/** The pages that offer documents and downloads. */
const OFFERED_BY: ReadonlyMap<string, string> = new Map([
  ['reports.csv', 'reports'],
  ['invoice', 'invoices'],
  ['own.csv', 'own'],
]);
