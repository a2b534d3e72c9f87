import type { Context } from 'koa';

/** Sends the browser to another page, after a form or instead of a page that only follows one (303). */
export function seeOther(ctx: Context, location: string): void {
  ctx.status = 303;
  ctx.set('Location', location);
  ctx.body = '';
}
