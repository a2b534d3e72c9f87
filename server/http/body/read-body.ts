import { isUtf8 } from 'node:buffer';
import type { Context } from 'koa';
import rawBody from 'raw-body';
import { limitPieces } from './limit-pieces.js';

export interface ReadJsonOptions {
  readonly limitBytes: number;
}

/**
 * Reads a request's body as JSON, whatever its Content-Type: pages that must avoid a preflight send text/plain.
 *
 * @throws 413 above the limit; 400 when the body is compressed, cut off, missing, not UTF-8 or not JSON
 */
export async function readJson(ctx: Context, { limitBytes }: ReadJsonOptions): Promise<unknown> {
  const encoding = ctx.get('content-encoding').toLowerCase();
  if (encoding !== '' && encoding !== 'identity') ctx.throw(400, 'the body must not be compressed (Content-Encoding)');
  const bytes = await readBytes(ctx, limitBytes);
  if (!isUtf8(bytes)) ctx.throw(400, 'the body is not UTF-8');
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '')
    ctx.throw(400, 'the body is missing; it must be a JSON object with the field context or messages');
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the body, which is a conversation. Only the position is passed on.
    const [place] = /at position \d+/.exec((error as Error).message) ?? [''];
    return ctx.throw(400, `the body is not JSON${place === '' ? '' : ` (${place})`}`);
  }
}

/**
 * Reads a request's body.
 *
 * @throws 413 above the limit; 400 when the body is cut off
 */
export async function readBytes(ctx: Context, limit: number): Promise<Buffer> {
  const tooLarge = `the body is larger than ${limit} bytes`;
  if ((ctx.request.length ?? 0) > limit) ctx.throw(413, tooLarge);
  limitPieces(ctx.req);
  try {
    return await rawBody(ctx.req, { limit, length: ctx.get('content-length') || null });
  } catch (error) {
    const { type } = error as Partial<rawBody.RawBodyError>;
    if (type === 'entity.too.large') ctx.throw(413, tooLarge);
    return ctx.throw(400, 'the body ended before it was whole');
  }
}
