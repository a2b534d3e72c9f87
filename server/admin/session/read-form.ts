import { isUtf8 } from 'node:buffer';
import type { Context } from 'koa';
import { readBytes } from '../../http/body/read-body.js';

const MAX_BYTES = 64 * 1024;
/** Of an operator who is signed in: a conversation of 40,000 characters in any script, each of up to nine bytes as forms spell them. */
export const MAX_BYTES_IN_SESSION = 512 * 1024;

/**
 * Reads a form that one of our own pages sent.
 *
 * @param origin of the base address; the page may also have been opened under the name that the request was sent to
 * @throws 403 when another site's page sent it; 413, 400 when it cannot be read
 */
export async function readForm(ctx: Context, origin: string, maxBytes = MAX_BYTES): Promise<URLSearchParams> {
  if (isForeign(ctx, origin)) ctx.throw(403, 'this form was sent by another site');
  if (!ctx.is('application/x-www-form-urlencoded')) ctx.throw(400, 'this is not a form');
  const bytes = await readBytes(ctx, maxBytes);
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes) || !isDecodable(text)) ctx.throw(400, 'the form holds bytes that are not UTF-8');
  return new URLSearchParams(text);
}

/** Whether what stands behind percent signs is UTF-8; otherwise something else than was typed would be stored. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Browsers name the sender in one of two headers, or both. What names none is no browser, and has no cookie by accident. */
function isForeign(ctx: Context, origin: string): boolean {
  const site = ctx.get('sec-fetch-site');
  if (site !== '' && site !== 'same-origin') return true;
  const sender = ctx.get('origin');
  return sender !== '' && sender !== origin && (!URL.canParse(sender) || new URL(sender).host !== ctx.get('host'));
}
