import { join } from 'node:path';
import type { RouterMiddleware } from '@koa/router';
import { sendFile } from '../body/send-file.js';

export interface ImagesOptions {
  /** `DATA_DIR/images`. */
  readonly directory: string;
}

const FILE = /^([0-9a-f]{64})\.(png|jpg|webp|gif|avif)$/;

/** `GET …/images/:file`: a creative's image, named by its content and so good for ever. */
export function images({ directory }: ImagesOptions): RouterMiddleware {
  return async (ctx) => {
    const [file, digest, extension] = FILE.exec(ctx.params['file'] ?? '') ?? [];
    if (file === undefined || digest === undefined || extension === undefined)
      return ctx.throw(404, 'there is no such image');
    // Advertisers' files: whatever is inside, a browser shall not run it.
    ctx.set('Content-Security-Policy', "default-src 'none'; sandbox");
    const sent = await sendFile(ctx, join(directory, file), {
      cacheControl: 'public, max-age=31536000, immutable',
      etag: digest,
    });
    if (!sent) ctx.throw(404, 'there is no such image');
    ctx.type = extension;
  };
}
