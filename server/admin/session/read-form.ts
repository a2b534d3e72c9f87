import { isUtf8 } from 'node:buffer';
import type { Context } from 'koa';
import { readBytes } from '../../http/body/read-body.js';

/** Limit for whoever is not signed in: a form with a token of 256 characters, whatever an extension may add. */
export const MAX_SIGN_IN_BYTES = 8 * 1024;
/**
 * Limit for signed-in operators: a conversation of 40,000 characters in any script, each up to nine bytes in form
 * encoding.
 */
export const MAX_BYTES_IN_SESSION = 512 * 1024;

/**
 * Reads a form that was sent by one of our own pages.
 *
 * @param origin the base URL's origin; the page may also have been opened under the host that the request was sent
 * to
 * @throws 403 when another site's page sent it; 413 or 400 when it cannot be read
 */
export async function readForm(ctx: Context, origin: string, maxBytes: number): Promise<URLSearchParams> {
  if (isForeign(ctx, origin)) ctx.throw(403, 'this form was sent by another site');
  if (!ctx.is('application/x-www-form-urlencoded')) ctx.throw(400, 'this is not a form');
  const bytes = await readBytes(ctx, maxBytes);
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes) || !isDecodable(text)) ctx.throw(400, 'the form holds bytes that are not UTF-8');
  return new URLSearchParams(text);
}

/** Returns whether the percent-encoded bytes are UTF-8. Otherwise something else than was typed would be stored. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns whether another site sent a form. Browsers name the site in one or both of two headers. A client that sends
 * neither is no browser, so it does not have the cookie by accident.
 */
function isForeign(ctx: Context, origin: string): boolean {
  const site = ctx.get('sec-fetch-site');
  if (site !== '' && site !== 'same-origin') return true;
  const sender = ctx.get('origin');
  return sender !== '' && sender !== origin && (!URL.canParse(sender) || new URL(sender).host !== ctx.get('host'));
}
