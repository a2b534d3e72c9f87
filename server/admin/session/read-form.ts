import type { Context } from 'koa';
import { readBytes } from '../../http/body/read-body.js';

const MAX_BYTES = 64 * 1024;

/**
 * Reads a form that one of our own pages sent.
 *
 * @param origin of the base address; the page may also have been opened under the name that the request was sent to
 * @throws 403 when another site's page sent it; 413, 400 when it cannot be read
 */
export async function readForm(ctx: Context, origin: string): Promise<URLSearchParams> {
  if (isForeign(ctx, origin)) ctx.throw(403, 'this form was sent by another site');
  if (!ctx.is('application/x-www-form-urlencoded')) ctx.throw(400, 'this is not a form');
  return new URLSearchParams((await readBytes(ctx, MAX_BYTES)).toString('utf8'));
}

/** Browsers name the sender in one of two headers, or both. What names none is no browser, and has no cookie by accident. */
function isForeign(ctx: Context, origin: string): boolean {
  const site = ctx.get('sec-fetch-site');
  if (site !== '' && site !== 'same-origin') return true;
  const sender = ctx.get('origin');
  return sender !== '' && sender !== origin && (!URL.canParse(sender) || new URL(sender).host !== ctx.get('host'));
}
