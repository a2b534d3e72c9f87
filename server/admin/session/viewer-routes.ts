import type { Context } from 'koa';
import type { Operator } from '../../access/access.js';

/**
 * What a viewer may request below `/admin`; a HEAD is a GET. Everything else, and so each new page and form, needs the
 * role `admin`.
 */
const VIEWER_ROUTES: ReadonlySet<string> = new Set([
  'GET /',
  'GET /reports',
  'GET /reports.csv',
  'GET /creatives',
  'GET /creative',
  'GET /publishers',
  'GET /publisher',
  'GET /advertiser',
  'GET /campaigns',
  'GET /invoices',
  'GET /invoice',
  'GET /explain',
  // Sends a conversation, which must not be in an address, and changes nothing.
  'POST /explain',
  'POST /sign-out',
  'GET /api/reports',
]);

/** Returns whether an operator may send a request. @param path below `/admin`, such as `/reports` */
export function mayRequest({ role }: Pick<Operator, 'role'>, method: string, path: string): boolean {
  if (role === 'admin') return true;
  // As the router does, which ignores a slash at the end.
  const page = path.replace(/(.)\/$/, '$1');
  return VIEWER_ROUTES.has(`${method === 'HEAD' ? 'GET' : method} ${page}`);
}

/** Refuses a request to `/admin` for which an operator's role does not suffice. @throws 403 */
export function requireRole(ctx: Pick<Context, 'method' | 'path' | 'throw'>, operator: Operator): void {
  if (mayRequest(operator, ctx.method, ctx.path.slice('/admin'.length))) return;
  ctx.throw(403, `this needs the role admin; the access token of ${operator.name} has the role ${operator.role}`);
}
