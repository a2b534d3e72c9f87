import { join } from 'node:path';
import type { RouterMiddleware } from '@koa/router';
import type { Takedowns } from '../../takedown/live-takedowns.js';
import { sendFile } from '../body/send-file.js';
import type { CatchUp } from '../../live-index/catch-up.js';
import { throwNotYetKnown } from './tracking.js';

export interface ImagesOptions {
  /** `DATA_DIR/images`. */
  readonly directory: string;
  readonly takedowns: Pick<Takedowns, 'hasImage'>;
  /** Absent: this server has no other nodes. */
  readonly catchUp?: CatchUp;
}

const FOR_EVER = 'public, max-age=31536000, immutable';
const IMAGE_FILE = /^([0-9a-f]{64})\.(png|jpg|webp|gif|avif)$/;

/**
 * `GET …/images/:file`: returns a creative's image. It is named by its content and can be cached forever. An image that
 * another node may have just published is fetched on its own, for at most two seconds; 503 if that takes longer.
 */
export function images({ directory, takedowns, catchUp }: ImagesOptions): RouterMiddleware {
  return async (ctx) => {
    const [file, digest, extension] = IMAGE_FILE.exec(ctx.params['file'] ?? '') ?? [];
    if (file === undefined || digest === undefined || extension === undefined)
      return ctx.throw(404, 'there is no such image');
    if (takedowns.hasImage(file)) ctx.throw(410, 'this image was taken down');
    // Advertisers supply these files: the browser must not run anything inside them.
    ctx.set('Content-Security-Policy', "default-src 'none'; sandbox");
    const send = (): Promise<boolean> => sendFile(ctx, join(directory, file), { cacheControl: FOR_EVER, etag: digest });
    if (!(await send())) {
      const isUpToDate = catchUp === undefined || (await catchUp.image(file));
      // A creative published meanwhile may also have been taken down.
      if (takedowns.hasImage(file)) ctx.throw(410, 'this image was taken down');
      if (!(await send())) {
        if (!isUpToDate) throwNotYetKnown(ctx, 'this image');
        ctx.throw(404, 'there is no such image');
      }
    }
    ctx.type = extension;
  };
}

export interface ScriptOptions {
  /** Directory of the built script, with `.br` and `.gz` beside each file. */
  readonly directory: string;
  /** Directory of pinned scripts of this and earlier releases, likewise. It need not exist. */
  readonly keptDirectory: string;
}

const SCRIPT_FILE = /^[a-z]+(\.[0-9a-f]{16})?(\.d)?\.(js|mjs|ts|mts|json)(\.map)?$/;

/**
 * `GET /sdk/:file`: returns the browser script. `adsdk.js` may change with every release, so browsers revalidate it
 * after five minutes. `adsdk.<hash>.js` never changes, and is served after an upgrade too; `integrity.json` names the
 * newest with its integrity value, and is revalidated each time.
 */
export function script({ directory, keptDirectory }: ScriptOptions): RouterMiddleware {
  return async (ctx) => {
    const [file, hash] = SCRIPT_FILE.exec(ctx.params['file'] ?? '') ?? [];
    if (file === undefined) return ctx.throw(404, 'there is no such script');
    const options = { cacheControl: cacheControlOf(file, hash), precompressed: true };
    const isSent =
      (await sendFile(ctx, join(directory, file), options)) ||
      (hash !== undefined && (await sendFile(ctx, join(keptDirectory, file), options)));
    if (!isSent) return ctx.throw(404, 'there is no such script');
    ctx.type = file.endsWith('.map') || file.endsWith('.json') ? 'json' : 'text/javascript';
    if (file.endsWith('ts')) ctx.type = 'text/plain';
  };
}

function cacheControlOf(file: string, hash: string | undefined): string {
  if (hash !== undefined) return FOR_EVER;
  return file === 'integrity.json' ? 'no-cache' : 'public, max-age=300, stale-while-revalidate=86400';
}

export interface DemoOptions {
  /** Directory of the demo page; null: no demo. */
  readonly directory: string | null;
  /** The demo's test key; null: no demo. */
  readonly apiKey: string | null;
  /** Public base URL, in case the page is opened under another host name. */
  readonly baseUrl: string;
}

/** Names of the page's files: no hidden files, no parent directories. */
const DEMO_FILE = /^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)*$/i;

/** `GET /` and `/demo/:file`: serves a chat that shows ads through the real script. */
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
    if (directory === null || !DEMO_FILE.test(file)) return ctx.throw(404, 'there is nothing at this path');
    if (!(await sendFile(ctx, join(directory, file), { cacheControl: 'no-cache' }))) {
      return ctx.throw(404, 'there is nothing at this path');
    }
    ctx.type = /[^.]+$/.exec(file)?.[0] ?? 'bin';
    ctx.set('Content-Security-Policy', policy);
  };
}

/** `GET /demo/config.json`: returns the key that the demo page uses. */
export function demoConfig({ apiKey }: DemoOptions): RouterMiddleware {
  return (ctx) => {
    if (apiKey === null) return ctx.throw(404, 'there is nothing at this path');
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { apiKey };
  };
}
