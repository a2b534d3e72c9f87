import type { Middleware } from 'koa';
import { monthOf, readMonth } from '../../domain/billing-month.js';
import { partiesOf } from '../../invoice/billing/billing-file.js';
import { FORMATS } from '../../invoice/formats.js';
import type { ListedInvoice } from '../../invoice/invoice-list.js';
import type { InvoiceText } from '../../invoice/read-invoice.js';
import type { InvoiceQuery } from '../../reports/report-worker.js';
import { addDays } from '../../../platform/time/calendar.js';
import { pageNumberIn } from '../query/page-of.js';
import { filterParameters } from '../query/page-query.js';
import { hrefOf } from '../rendering/show.js';
import type { PageOptions } from './page-options.js';
import { sendInvoice } from './send-invoice.js';

const INVOICES_A_PAGE = 50;

/** `GET /admin/invoices`: the invoices of a month, or of an advertiser. Changes nothing: a command closes months. */
export function invoices(options: PageOptions): Middleware {
  const { show, path, calendar, clock } = options;
  return async (ctx) => {
    const given = new URLSearchParams(ctx.querystring);
    const advertiser = advertiserIn(given);
    const text = given.get('month') || null;
    const month = text === null ? null : readMonth(text);
    if (month === undefined) return ctx.throw(400, '"month" must be a month such as 2026-11');
    const search = (given.get('q') ?? '').trim();
    const today = calendar.dateOf(clock());
    const wanted = pageNumberIn(given);
    const query = {
      advertiser,
      month,
      preferredMonth: monthOf(addDays(`${today.slice(0, 8)}01`, -1)),
      part: search,
      page: wanted,
      perPage: INVOICES_A_PAGE,
    };
    const list = await options.invoices.invoices(query, await options.billing.read());
    const pages = Math.max(1, Math.ceil(list.found / INVOICES_A_PAGE));
    const page = Math.min(wanted, pages);
    const whose = advertiser === null ? {} : filterParameters({ advertiser });
    const href = (to: number): string =>
      hrefOf(`${path}/invoices`, { ...whose, month: list.month ?? '', q: search, page: String(to) });
    show(ctx, 'invoices', {
      title: 'Invoices',
      navEntry: 'invoices',
      list,
      advertiser,
      whose,
      search,
      rows: list.rows.map((row) => toRow(row, path, today)),
      page,
      pages,
      earlier: page > 1 ? href(page - 1) : null,
      later: page < pages ? href(page + 1) : null,
    });
    return undefined;
  };
}

/** Returns the advertiser that an address names; empty: ads that name none; null: it names none. */
function advertiserIn(query: URLSearchParams): string | null {
  return query.get('advertiser') || (query.get('none') === 'advertiser' ? '' : null);
}

function toRow({ advertiser, month, ...row }: ListedInvoice, path: string, today: string) {
  const address = { ...filterParameters({ advertiser }), month };
  return {
    ...row,
    advertiser,
    month,
    // Only a month that is over can be closed.
    isOver: month < today.slice(0, 7),
    view: hrefOf(`${path}/invoice`, address),
    downloads: FORMATS.map((format) => ({ format, href: hrefOf(`${path}/invoice`, { ...address, format }) })),
  };
}

/**
 * `GET /admin/invoice`: an advertiser's invoice of a month as a page, or with `format` as a download: the bytes that
 * were stored when its month was closed, else as of now, with the state `open`.
 */
export function invoice(options: PageOptions): Middleware {
  return async (ctx) => {
    const given = new URLSearchParams(ctx.querystring);
    const advertiser = advertiserIn(given) ?? '';
    const month = readMonth(given.get('month') ?? '');
    if (month === undefined) return ctx.throw(400, '"month" must be a month such as 2026-11');
    const wanted = given.get('format');
    const format = FORMATS.find((known) => known === (wanted ?? 'html'));
    if (format === undefined) return ctx.throw(400, `"format" must be one of ${FORMATS.join(', ')}`);
    const { text, isNothing, isClosed } = await readOne(options, { advertiser, month, format });
    if (isNothing) return ctx.throw(404, 'nothing was billed to this advertiser in this month');
    sendInvoice(ctx, {
      text,
      advertiser,
      month: given.get('month')!,
      format,
      isClosed,
      isDownload: wanted !== null,
    });
    return undefined;
  };
}

/** Reads billing details for an open month alone, so that closed ones can be read whatever happened to them. */
async function readOne({ invoices, billing }: PageOptions, query: InvoiceQuery): Promise<InvoiceText> {
  const stored = await invoices.issuedInvoice(query);
  if (stored !== null) return { text: stored, isClosed: true, isNothing: false };
  return invoices.invoice(query, partiesOf(await billing.read(), query.advertiser));
}
