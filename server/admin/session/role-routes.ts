import type { Context } from 'koa';
import type { Role } from '../../access/access-file.js';
import type { Operator } from '../../access/access.js';

/** What advertisers and publishers may request: pages whose figures are of `party` alone, see `own/`. */
const PARTY_ROUTES = ['GET /own', 'GET /own.csv', 'GET /api/own', 'POST /sign-out'];

/**
 * What a role may request below `/admin`; a HEAD is a GET. Everything else, and so each new page and form, needs the
 * role `admin`.
 */
const ROUTES: Readonly<Record<Exclude<Role, 'admin'>, ReadonlySet<string>>> = {
  viewer: new Set([
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
  ]),
  advertiser: new Set([...PARTY_ROUTES, 'GET /own/invoice', 'GET /api/own/invoices', 'GET /api/own/invoice']),
  publisher: new Set(PARTY_ROUTES),
};

/** Returns whether a role may send a request. @param path below `/admin`, such as `/reports` */
export function mayRequest({ role }: Pick<Operator, 'role'>, method: string, path: string): boolean {
  if (role === 'admin') return true;
  // As the router does, which ignores a slash at the end.
  const page = path.replace(/(.)\/$/, '$1');
  return ROUTES[role].has(`${method === 'HEAD' ? 'GET' : method} ${page}`);
}

/** Refuses a request to `/admin` for which an operator's role does not suffice. @throws 403 */
export function requireRole(ctx: Pick<Context, 'method' | 'path' | 'throw'>, operator: Operator): void {
  if (mayRequest(operator, ctx.method, ctx.path.slice('/admin'.length))) return;
  ctx.throw(403, `this needs the role admin; the access token of ${operator.name} has the role ${operator.role}`);
}

/** Returns the first page of whoever signs in, below the dashboard's path. */
export function homeOf({ party }: Pick<Operator, 'party'>): '/' | '/own' {
  return party === null ? '/' : '/own';
}
