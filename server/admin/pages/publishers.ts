import type { Middleware } from 'koa';
import { readReportView } from '../query/report-view.js';
import { orderedRows, readOrder } from '../../reports/order.js';
import type { PageOptions } from './page-options.js';
import { timeCharts } from '../plots/charts.js';
import { hrefOf } from '../rendering/show.js';
import { figuresOf } from './figures.js';
import { fillsByLanguage } from './languages.js';
import { nameLinks } from './name-links.js';
import { tableOf } from './table.js';
import { languageName } from '../../../models/text/language-tag.js';
import { sharesOf } from './reasons.js';

const MAX_CREATIVES = 12;

/** `GET /admin/publishers`: all publishers with traffic, and those that have a key but no traffic. */
export function publishers(options: PageOptions): Middleware {
  const { show, path, keys, catalogue, calendar } = options;
  return async (ctx) => {
    const view = await readReportView(ctx, options);
    const [report, file] = await Promise.all([view.report(['publisher']), keys.read()]);
    const order = readOrder(view.query.sort, report.by);
    const { from, to } = view.query;
    const known = new Set(report.rows.map(({ group }) => group.publisher));
    show(ctx, 'publishers', {
      title: 'Publishers',
      navEntry: 'publishers',
      traffic: view.traffic,
      view,
      table: tableOf({
        by: ['publisher'],
        rows: orderedRows(report, order),
        total: report.total,
        order,
        sortHref: (sort) => hrefOf('', { from, to, sort, test: view.traffic.parameter }),
        nameHref: nameLinks(path, view),
        catalogue,
        calendar,
        currency: report.currency,
      }),
      quiet: [...new Set(file.keys.map(({ publisher }) => publisher))].filter((name) => !known.has(name)).toSorted(),
    });
  };
}

/** `GET /admin/publisher?name=`: one publisher's figures, settings and keys. */
export function publisher(options: PageOptions): Middleware {
  const { show, path, keys, catalogue, calendar } = options;
  return async (ctx) => {
    const name = new URLSearchParams(ctx.querystring).get('name') ?? '';
    const view = await readReportView(ctx, options);
    const where = { publisher: name };
    const [byTime, compared, byCreative, file] = await Promise.all([
      view.report([view.step], where),
      view.compare(where),
      view.report(['creative'], where),
      keys.read(),
    ]);
    const creatives = orderedRows(byCreative, { column: 'impressions', descending: true }).filter(
      ({ group }) => group.creative !== null,
    );
    show(ctx, 'publisher', {
      title: name || 'Publisher',
      navEntry: 'publishers',
      traffic: view.traffic,
      view,
      name,
      settings: file.publishers.find((each) => each.name === name) ?? null,
      languageName: (language: string) => languageName(language) ?? language,
      keys: file.keys.filter((key) => key.publisher === name),
      figures: figuresOf(byTime.total, compared, byTime.currency),
      charts: await timeCharts({ plots: options.plots, currency: byTime.currency }, view, byTime, [
        'spend',
        'impressions',
        'ctr',
        'fillRate',
      ]),
      noFills: sharesOf(byTime.total.noFills),
      languages: fillsByLanguage(byTime.total.languages),
      ignored: sharesOf(byTime.total.ignored),
      allCreatives: creatives.length,
      creatives: tableOf({
        by: ['creative'],
        rows: creatives.slice(0, MAX_CREATIVES),
        // The report's total also has the requests without an ad.
        total: null,
        order: null,
        sortHref: () => '',
        nameHref: nameLinks(path, view),
        catalogue,
        calendar,
        currency: byTime.currency,
      }),
    });
  };
}
