import type { Context, Middleware } from 'koa';
import { FORMATS } from '../../invoice/formats.js';
import { readMonth } from '../../domain/billing-month.js';
import type { OwnFigures, OwnFiguresOf } from '../../reports/own-figures.js';
import { ReportQueryError } from '../../reports/period.js';
import { sendInvoice } from '../pages/send-invoice.js';
import { figuresOf } from './figures-of.js';
import { readOnce } from './own-query.js';

/** `GET /admin/own/invoice`: an advertiser's invoice of a closed month as a page, or with `format` as a download. */
export function ownInvoice({ own }: { readonly own: OwnFiguresOf }): Middleware {
  return (ctx) => sendOwnInvoice(ctx, figuresOf(ctx, own));
}

/** Sends the stored invoice of the month that the address names. @throws ReportQueryError, 404 if there is none */
export async function sendOwnInvoice(ctx: Context, figures: OwnFigures): Promise<void> {
  const given = readOnce(ctx, ['month', 'format']);
  const [text = '', wanted] = [given.get('month') ?? undefined, given.get('format')];
  const month = readMonth(text);
  if (month === undefined) throw new ReportQueryError('"month" must be a month such as 2026-11');
  const format = FORMATS.find((known) => known === (wanted ?? 'html'));
  if (format === undefined) throw new ReportQueryError(`"format" must be one of ${FORMATS.join(', ')}`);
  const stored = await figures.invoice(month, format);
  if (stored === null) return ctx.throw(404, 'there is no invoice for this month yet');
  return sendInvoice(ctx, {
    text: stored,
    advertiser: figures.party.name,
    month: text,
    format,
    isClosed: true,
    isDownload: wanted !== null,
  });
}
