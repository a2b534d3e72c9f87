import type { Middleware } from 'koa';
import { readReportView, type ReportView } from '../query/report-view.js';
import { orderedRows, readOrder } from '../../reports/order.js';
import { pageOf } from '../query/page-of.js';
import { offeredNames, unknownNames } from './known-names.js';
import { parametersOf } from '../query/page-query.js';
import type { Catalogue, PageOptions } from './page-options.js';
import { barChart, timeCharts } from '../plots/charts.js';
import { MEASURES } from '../rendering/measures.js';
import type { MeasureName } from '../../reports/order.js';
import { DIMENSIONS, NAMES } from '../../reports/report-query.js';
import type { Report, ReportRow } from '../../reports/report.js';
import { hrefOf } from '../rendering/show.js';
import { nameLinks } from './name-links.js';
import { tableOf } from './table.js';

/** Rows on one page of the table; the CSV has them all. */
const ROWS_A_PAGE = 50;

/** `GET /admin/reports`: any report as a table to sort and filter, with a plot of the column it is sorted by. */
export function reports(options: PageOptions): Middleware {
  const { show, path, catalogue, calendar } = options;
  return async (ctx) => {
    const view = await readReportView(ctx, options);
    const { query: question, traffic } = view;
    const { report, rows, order } = await answer(view, catalogue);
    const parameters = { ...parametersOf(question), test: traffic.parameter };
    const { rows: shown, page, pages } = pageOf(rows, question.page, ROWS_A_PAGE);
    const pageHref = (to: number) => hrefOf(`${path}/reports`, { ...parameters, page: String(to) });
    show(ctx, 'reports', {
      title: 'Reports',
      navEntry: 'reports',
      traffic,
      view,
      report,
      charts: await chartsOf(options, view, report, rows, order.column),
      table: tableOf({
        by: report.by,
        rows: shown,
        total: report.total,
        order,
        sortHref: (sort) => hrefOf(`${path}/reports`, { ...parameters, sort }),
        nameHref: nameLinks(path, view, question.where),
        catalogue,
        calendar,
        currency: report.currency,
      }),
      parameters: parametersOf(question),
      unknown: rows.length === 0 ? await unknownNames(question.where, options) : [],
      offered: await offeredNames(options),
      rows: rows.length,
      page,
      pages,
      earlier: page > 1 ? pageHref(page - 1) : null,
      later: page < pages ? pageHref(page + 1) : null,
      csvHref: hrefOf(`${path}/reports.csv`, { ...parameters, test: traffic.test ? '1' : '0' }),
      dimensions: DIMENSIONS,
      names: NAMES,
    });
  };
}

/** Without it, Excel on Windows reads a CSV as ANSI. The API's CSV, which programs read, has none. */
export const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * `GET /admin/reports.csv`: the same rows, with every column and exact money, in the same order, except that creatives,
 * of which it has only the ids, are ordered by these.
 */
export function reportsCsv(options: PageOptions): Middleware {
  return async (ctx) => {
    const view = await readReportView(ctx, options);
    const { by, from, to, where, sort } = view.query;
    const query = { by, where, from, to, test: view.traffic.test };
    const csv = await options.reportCsv(query, sort);
    ctx.type = 'text/csv; charset=utf-8';
    ctx.attachment(`adjacent-${by.join('-')}-${from}-to-${to}${view.traffic.test ? '-test' : ''}.csv`);
    ctx.body = Buffer.concat([BYTE_ORDER_MARK, csv]);
  };
}

async function answer({ query: question, report: ask }: ReportView, catalogue: Catalogue) {
  const report = await ask(question.by, question.where);
  const order = readOrder(question.sort, report.by);
  return { report, order, rows: orderedRows(report, order, (id) => catalogue.find(id)?.name ?? id) };
}

/** Plots measures over time if the rows are hours or days alone, else the largest rows. */
async function chartsOf(
  options: PageOptions,
  view: ReportView,
  report: Report,
  rows: readonly ReportRow[],
  column: string,
) {
  const drawing = { plots: options.plots, currency: report.currency };
  const main: MeasureName = column in MEASURES ? (column as MeasureName) : 'impressions';
  const [only, ...others] = report.by;
  if (others.length === 0 && only === view.step) {
    const shown = new Set<MeasureName>(['spend', 'impressions', 'clicks', 'ctr']);
    return timeCharts(drawing, view, report, [...(shown.has(main) ? shown : [main, ...shown])].slice(0, 4));
  }
  if (report.by.some((dimension) => dimension === 'day' || dimension === 'hour')) return [];
  const nameOf = ({ group }: ReportRow): string =>
    report.by
      .map((dimension) => {
        const name = group[dimension] ?? '–';
        return dimension === 'creative' ? (options.catalogue.find(name)?.name ?? name) : name;
      })
      .join(' · ');
  return [await barChart(report.currency, rows, main, nameOf)];
}
