import type { Middleware } from 'koa';
import { count, type CountOptions } from './count.js';

/** The smallest GIF that every browser draws: one transparent pixel, 42 bytes. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/**
 * `GET …/beacon`: counts an impression (or a view, with `event=view`) and answers the pixel whatever the request id. An
 * event that could not be made durable is the one exception: 503, so that a client may try again.
 */
export function beacon(options: CountOptions): Middleware {
  return async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    const view = new URLSearchParams(ctx.querystring).get('event') === 'view';
    await count(options, ctx, view ? 'view' : 'impression');
    ctx.type = 'image/gif';
    ctx.body = PIXEL;
  };
}
