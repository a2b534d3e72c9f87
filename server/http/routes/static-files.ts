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
  /** Absent: this server is alone. */
  readonly catchUp?: CatchUp;
}

const FOR_EVER = 'public, max-age=31536000, immutable';
const IMAGE_FILE = /^([0-9a-f]{64})\.(png|jpg|webp|gif|avif)$/;

/**
 * `GET …/images/:file`: a creative's image, named by its content and so good for ever. What another node may have published
 * just now is fetched alone, for two seconds at most; 503 where that takes longer.
 */
export function images({ directory, takedowns, catchUp }: ImagesOptions): RouterMiddleware {
  return async (ctx) => {
    const [file, digest, extension] = IMAGE_FILE.exec(ctx.params['file'] ?? '') ?? [];
    if (file === undefined || digest === undefined || extension === undefined)
      return ctx.throw(404, 'there is no such image');
    if (takedowns.hasImage(file)) ctx.throw(410, 'this image was taken down');
    // Advertisers' files: whatever is inside, a browser shall not run it.
    ctx.set('Content-Security-Policy', "default-src 'none'; sandbox");
    const send = (): Promise<boolean> => sendFile(ctx, join(directory, file), { cacheControl: FOR_EVER, etag: digest });
    if (!(await send())) {
      const isUpToDate = catchUp === undefined || (await catchUp.image(file));
      // What was published since may have been taken down since.
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
  /** Where the built script lies, with `.br` and `.gz` beside each file. */
  readonly directory: string;
}

const SCRIPT_FILE = /^[a-z]+(\.[0-9a-f]{16})?(\.d)?\.(js|mjs|ts|mts|json)(\.map)?$/;

/**
 * `GET /sdk/:file`: the browser script. `adsdk.js` may change with every release, so it is asked for again after five
 * minutes; `adsdk.<hash>.js` never changes, and `integrity.json` names it with its integrity value.
 */
export function script({ directory }: ScriptOptions): RouterMiddleware {
  return async (ctx) => {
    const [file, hash] = SCRIPT_FILE.exec(ctx.params['file'] ?? '') ?? [];
    if (file === undefined) return ctx.throw(404, 'there is no such script');
    const cacheControl = hash === undefined ? 'public, max-age=300, stale-while-revalidate=86400' : FOR_EVER;
    if (!(await sendFile(ctx, join(directory, file), { cacheControl, precompressed: true }))) {
      return ctx.throw(404, 'there is no such script');
    }
    ctx.type = file.endsWith('.map') || file.endsWith('.json') ? 'json' : 'text/javascript';
    if (file.endsWith('ts')) ctx.type = 'text/plain';
  };
}

export interface DemoOptions {
  /** Where the demo page lies; null: no demo here. */
  readonly directory: string | null;
  /** The demo's test key; null: no demo here. */
  readonly apiKey: string | null;
  /** Public base URL, in case the page was opened under another name. */
  readonly baseUrl: string;
}

/** Names of the page's own files; nothing hidden, no way up. */
const DEMO_FILE = /^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)*$/i;

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
    if (directory === null || !DEMO_FILE.test(file)) return ctx.throw(404, 'there is nothing at this path');
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
