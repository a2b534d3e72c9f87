import { join } from 'node:path';
import type { RouterMiddleware } from '@koa/router';
import { sendFile } from '../body/send-file.js';

export interface DemoOptions {
  /** Where the demo page lies; null: no demo here. */
  readonly directory: string | null;
  /** The demo's test key; null: no demo here. */
  readonly apiKey: string | null;
  /** Public base URL, in case the page was opened under another name. */
  readonly baseUrl: string;
}

/** Names of the page's own files; nothing hidden, no way up. */
const FILE = /^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)*$/i;

/** `GET /` and `/demo/:file`: a chat that shows ads through the real script. */
export function demo({ directory, baseUrl }: DemoOptions): RouterMiddleware {
  const { origin } = new URL(baseUrl);
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: ${origin}`,
    `connect-src 'self' ${origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  return async (ctx) => {
    const file = ctx.params['file'] ?? 'index.html';
    if (directory === null || !FILE.test(file)) return ctx.throw(404, 'there is nothing at this path');
    if (!(await sendFile(ctx, join(directory, file), { cacheControl: 'no-cache' }))) {
      return ctx.throw(404, 'there is nothing at this path');
    }
    ctx.type = /[^.]+$/.exec(file)?.[0] ?? 'bin';
    ctx.set('Content-Security-Policy', policy);
  };
}

/** `GET /demo/config.json`: the key that the demo page uses. */
export function demoConfig({ apiKey }: DemoOptions): RouterMiddleware {
  return (ctx) => {
    if (apiKey === null) return ctx.throw(404, 'there is nothing at this path');
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { apiKey };
  };
}
