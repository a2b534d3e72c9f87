import type { Router } from '@koa/router';
import type { Calendar } from '../../../platform/time/calendar.js';
import type { OwnFiguresOf } from '../../reports/own-figures.js';
import { ReportQueryError } from '../../reports/period.js';
import { figuresOf } from './figures-of.js';
import { sendOwnInvoice } from './own-invoice.js';
import { readOnce, readOwnQuery } from './own-query.js';

export interface OwnApiOptions {
  readonly own: OwnFiguresOf;
  readonly calendar: Calendar;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/**
 * `GET /admin/api/own`, `…/own/invoices` and `…/own/invoice?month=`: the figures and invoices of the advertiser or
 * publisher whose access token it is, as on the page `/admin/own`.
 */
export function ownApi(router: Router, { own, calendar, clock }: OwnApiOptions): void {
  router.get('/admin/api/own', async (ctx) => {
    const figures = figuresOf(ctx, own);
    const choice = readOwnQuery(ctx, figures.party, calendar, clock(), ['format']);
    const format = new URLSearchParams(ctx.querystring).get('format') ?? 'json';
    if (format !== 'json' && format !== 'csv') throw new ReportQueryError('"format" must be json or csv');
    const text = Buffer.from(await figures.text(choice, format));
    if (format === 'csv') ctx.attachment('figures.csv');
    ctx.type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8';
    ctx.body = text;
  });
  router.get('/admin/api/own/invoices', async (ctx) => {
    const figures = figuresOf(ctx, own);
    readOnce(ctx, []);
    const invoices = await figures.invoices();
    ctx.body = {
      invoices: invoices.map(({ closedAt, ...invoice }) => ({
        ...invoice,
        closedAt: new Date(closedAt).toISOString(),
      })),
    };
  });
  router.get('/admin/api/own/invoice', (ctx) => sendOwnInvoice(ctx, figuresOf(ctx, own)));
}
