import type { Middleware } from 'koa';
import { look } from '../query/look.js';
import { orderedRows } from '../query/order.js';
import { isEmpty } from '../query/traffic.js';
import type { Parts } from './parts.js';
import { barChart, sharesOf, timeCharts } from '../plots/charts.js';
import { figuresOf } from './figures.js';
import { nameLinks } from './links.js';
import { REASONS } from './reasons.js';
import { tableOf } from './table.js';

const MOST_ROWS = 8;

/** `GET /admin/`: how the installation is doing. */
export function overview(parts: Parts): Middleware {
  const { show, path, catalogue, config } = parts;
  return async (ctx) => {
    const seen = await look(ctx, parts);
    const [byTime, before, byCreative, byPublisher] = await Promise.all([
      seen.report([seen.step]),
      seen.reportBefore(),
      seen.report(['creative']),
      seen.report(['publisher']),
    ]);
    const { total, currency } = byTime;
    const drawing = { plots: parts.plots, currency };
    const main = total.spendMicros > 0n ? 'spend' : 'impressions';
    const creatives = byCreative.rows.filter(({ group }) => group.creative !== null);
    const [charts, topCreatives] = await Promise.all([
      timeCharts(drawing, seen, byTime, ['spend', 'impressions', 'ctr', 'fillRate']),
      barChart(drawing, creatives, main, ({ group }) => catalogue.find(group.creative!)?.name ?? group.creative!, 340),
    ]);
    show(ctx, 'overview', {
      title: 'Overview',
      place: 'overview',
      traffic: seen.traffic,
      look: seen,
      empty: isEmpty(total),
      figures: figuresOf(total, before.total, currency),
      charts,
      topCreatives,
      noFills: sharesOf(total.noFills),
      ignored: sharesOf(total.ignored),
      reasons: REASONS,
      publishers: tableOf({
        by: ['publisher'],
        rows: orderedRows(byPublisher, { column: main, descending: true }).slice(0, MOST_ROWS),
        total: null,
        order: null,
        sortHref: () => '',
        nameHref: nameLinks(path, seen),
        catalogue,
      }),
      demo: config.demo,
    });
  };
}
