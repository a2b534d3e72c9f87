import { join } from 'node:path';
import type { RouterMiddleware } from '@koa/router';
import { sendFile } from '../body/send-file.js';

export interface ScriptOptions {
  /** Where the built script lies, with `.br` and `.gz` beside each file. */
  readonly directory: string;
}

const FILE = /^[a-z]+(\.[0-9a-f]{16})?(\.d)?\.(js|mjs|ts|mts|json)(\.map)?$/;

/**
 * `GET /sdk/:file`: the browser script. `adsdk.js` may change with every release, so it is asked for again after five
 * minutes; `adsdk.<hash>.js` never changes, and `integrity.json` names it with its integrity value.
 */
export function script({ directory }: ScriptOptions): RouterMiddleware {
  return async (ctx) => {
    const [file, hash] = FILE.exec(ctx.params['file'] ?? '') ?? [];
    if (file === undefined) return ctx.throw(404, 'there is no such script');
    const cacheControl =
      hash === undefined ? 'public, max-age=300, stale-while-revalidate=86400' : 'public, max-age=31536000, immutable';
    if (!(await sendFile(ctx, join(directory, file), { cacheControl, precompressed: true }))) {
      return ctx.throw(404, 'there is no such script');
    }
    ctx.type = file.endsWith('.map') || file.endsWith('.json') ? 'json' : 'text/javascript';
    if (file.endsWith('ts')) ctx.type = 'text/plain';
  };
}
