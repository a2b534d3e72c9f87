import type { Middleware } from 'koa';
import { readReportView } from '../query/report-view.js';
import { orderedRows } from '../../reports/order.js';
import { isEmpty } from '../query/traffic.js';
import type { PageOptions } from './page-options.js';
import { barChart, timeCharts } from '../plots/charts.js';
import { figuresOf } from './figures.js';
import { fillsByLanguage } from './languages.js';
import { nameLinks } from './name-links.js';
import { tableOf } from './table.js';
import { sharesOf } from './reasons.js';

const MAX_ROWS = 8;

/** `GET /admin/`: the installation's figures at a glance. */
export function overview(options: PageOptions): Middleware {
  const { show, path, catalogue, calendar, config } = options;
  return async (ctx) => {
    const view = await readReportView(ctx, options);
    const [byTime, compared, byCreative, byPublisher] = await Promise.all([
      view.report([view.step]),
      view.compare(),
      view.report(['creative']),
      view.report(['publisher']),
    ]);
    const { total, currency } = byTime;
    const drawing = { plots: options.plots, currency };
    const main = total.spendMicros > 0n ? 'spend' : 'impressions';
    const creatives = byCreative.rows.filter(({ group }) => group.creative !== null);
    const [charts, topCreatives] = await Promise.all([
      timeCharts(drawing, view, byTime, ['spend', 'impressions', 'ctr', 'fillRate']),
      barChart(currency, creatives, main, ({ group }) => catalogue.find(group.creative!)?.name ?? group.creative!),
    ]);
    show(ctx, 'overview', {
      title: 'Overview',
      navEntry: 'overview',
      traffic: view.traffic,
      view,
      empty: isEmpty(total),
      figures: figuresOf(total, compared, currency),
      charts,
      topCreatives,
      noFills: sharesOf(total.noFills),
      languages: fillsByLanguage(total.languages),
      ignored: sharesOf(total.ignored),
      allPublishers: byPublisher.rows.length,
      main,
      publishers: tableOf({
        by: ['publisher'],
        rows: orderedRows(byPublisher, { column: main, descending: true }).slice(0, MAX_ROWS),
        // A total of rows that are cut off would not be that of the rows shown.
        total: byPublisher.rows.length > MAX_ROWS ? null : byPublisher.total,
        order: null,
        sortHref: () => '',
        nameHref: nameLinks(path, view),
        catalogue,
        calendar,
        currency,
      }),
      demo: config.demo,
    });
  };
}
