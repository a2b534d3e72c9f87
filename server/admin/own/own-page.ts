import type { Middleware } from 'koa';
import { FORMATS } from '../../invoice/formats.js';
import { OWN_DIMENSIONS } from '../../reports/own-report.js';
import { BYTE_ORDER_MARK } from '../pages/reports.js';
import type { PageOptions } from '../pages/page-options.js';
import { pageNumberIn } from '../query/page-of.js';
import { usualPeriods } from '../query/period.js';
import { hrefOf } from '../rendering/show.js';
import { figuresOf } from './figures-of.js';
import { readOwnQuery } from './own-query.js';
import { ownHeadlines, ownTable } from './own-table.js';

const ROWS_A_PAGE = 50;

/** All that these pages know of the server: no report but a party's own, no catalogue, no stores. */
export type OwnPageOptions = Pick<PageOptions, 'own' | 'show' | 'path' | 'calendar' | 'clock'>;

/** `GET /admin/own`: an advertiser's or publisher's figures of a period, and an advertiser's invoices. */
export function ownPage({ own, show, path, calendar, clock }: OwnPageOptions): Middleware {
  return async (ctx) => {
    const figures = figuresOf(ctx, own);
    const { party } = figures;
    const today = calendar.dateOf(clock());
    const { by, from, to } = readOwnQuery(ctx, party, calendar, clock(), ['page']);
    const wanted = pageNumberIn(new URLSearchParams(ctx.querystring));
    const [report, invoices] = await Promise.all([
      figures.page({ by, from, to }, wanted, ROWS_A_PAGE),
      figures.invoices(),
    ]);
    const chosen = { by: by.join(','), from, to };
    const href = (more: Record<string, string>): string => hrefOf(`${path}/own`, { ...chosen, ...more });
    const pages = Math.max(1, Math.ceil(report.found / ROWS_A_PAGE));
    const page = Math.min(wanted, pages);
    show(ctx, 'own', {
      title: `Figures of ${party.name}`,
      navEntry: 'own',
      party,
      report,
      fields: { by: chosen.by },
      view: {
        query: { from, to },
        periods: usualPeriods(today).map((period) => ({
          name: period.name,
          href: href({ from: period.from, to: period.to }),
          chosen: period.from === from && period.to === to,
        })),
      },
      groupings: OWN_DIMENSIONS[party.kind].map((dimension) => ({
        name: dimension,
        href: href({ by: dimension }),
        chosen: dimension === chosen.by,
      })),
      figures: ownHeadlines(report),
      table: ownTable(report),
      rows: report.found,
      page,
      pages,
      earlier: page > 1 ? href({ page: String(page - 1) }) : null,
      later: page < pages ? href({ page: String(page + 1) }) : null,
      csvHref: hrefOf(`${path}/own.csv`, chosen),
      invoices: invoices.map((invoice) => ({
        ...invoice,
        view: hrefOf(`${path}/own/invoice`, { month: invoice.month }),
        downloads: FORMATS.map((format) => ({
          format,
          href: hrefOf(`${path}/own/invoice`, { month: invoice.month, format }),
        })),
      })),
    });
  };
}

/** `GET /admin/own.csv`: all rows of the same report. */
export function ownCsv({ own, calendar, clock }: OwnPageOptions): Middleware {
  return async (ctx) => {
    const figures = figuresOf(ctx, own);
    const choice = readOwnQuery(ctx, figures.party, calendar, clock());
    const csv = await figures.text(choice, 'csv');
    ctx.type = 'text/csv; charset=utf-8';
    ctx.attachment(`figures-${choice.by.join('-') || 'total'}-${choice.from}-to-${choice.to}.csv`);
    ctx.body = Buffer.concat([BYTE_ORDER_MARK, csv]);
  };
}
