import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { Format } from '../../invoice/formats.js';

export interface SentInvoice {
  readonly text: string;
  /** Empty: ads that name none. */
  readonly advertiser: string;
  /** `2026-11` */
  readonly month: string;
  readonly format: Format;
  readonly isClosed: boolean;
  /** Whether to save it instead of showing it. */
  readonly isDownload: boolean;
}

const TYPES = { csv: 'text/csv', html: 'text/html', json: 'application/json' } as const;

/** Sends an invoice as it is stored, so that `npm run invoice -- --verify` knows it. */
export function sendInvoice(
  ctx: Context,
  { text, advertiser, month, format, isClosed, isDownload }: SentInvoice,
): void {
  ctx.type = `${TYPES[format]}; charset=utf-8`;
  if (isDownload) ctx.attachment(fileName(advertiser, month, isClosed, format));
  else ctx.set('Content-Security-Policy', policyFor(text));
  ctx.body = Buffer.from(text);
}

/** Allows the page's own style, and nothing else. */
function policyFor(page: string): string {
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
  const digest = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${digest}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`;
}

/** Names may have characters that file systems do not allow. */
function fileName(advertiser: string, month: string, isClosed: boolean, format: string): string {
  const name = advertiser.replaceAll(/[^\p{L}\p{N} &._-]+/gu, ' ').trim() || 'no advertiser';
  return `invoice ${month} ${name.slice(0, 80)}${isClosed ? '' : ' (not closed)'}.${format}`;
}
