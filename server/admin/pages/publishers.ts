import type { Middleware } from 'koa';
import { look } from '../query/look.js';
import { orderedRows, readOrder } from '../query/order.js';
import type { Parts } from './parts.js';
import { timeCharts, sharesOf } from '../plots/charts.js';
import { hrefOf } from '../view/show.js';
import { figuresOf } from './figures.js';
import { nameLinks } from './links.js';
import { REASONS } from './reasons.js';
import { tableOf } from './table.js';

/** `GET /admin/publishers`: who shows ads, those included that have a key and no traffic. */
export function publishers(parts: Parts): Middleware {
  const { show, path, keys, catalogue } = parts;
  return async (ctx) => {
    const seen = await look(ctx, parts);
    const [report, file] = await Promise.all([seen.report(['publisher']), keys.read()]);
    const order = readOrder(seen.question.sort, report.by);
    const { from, to } = seen.question;
    const known = new Set(report.rows.map(({ group }) => group.publisher));
    show(ctx, 'publishers', {
      title: 'Publishers',
      place: 'publishers',
      traffic: seen.traffic,
      look: seen,
      table: tableOf({
        by: ['publisher'],
        rows: orderedRows(report, order),
        total: report.total,
        order,
        sortHref: (sort) => hrefOf('', { from, to, sort, test: seen.traffic.parameter }),
        nameHref: nameLinks(path, seen),
        catalogue,
      }),
      quiet: [...new Set(file.keys.map(({ publisher }) => publisher))].filter((name) => !known.has(name)).toSorted(),
    });
  };
}

/** `GET /admin/publisher?name=`: what one publisher showed, and what it has set. */
export function publisher(parts: Parts): Middleware {
  const { show, path, keys, catalogue } = parts;
  return async (ctx) => {
    const name = new URLSearchParams(ctx.querystring).get('name') ?? '';
    const seen = await look(ctx, parts);
    const where = { publisher: name };
    const [byTime, before, byCreative, file] = await Promise.all([
      seen.report([seen.step], where),
      seen.reportBefore(where),
      seen.report(['creative'], where),
      keys.read(),
    ]);
    const creatives = orderedRows(byCreative, { column: 'impressions', descending: true });
    show(ctx, 'publisher', {
      title: name || 'Publisher',
      place: 'publishers',
      traffic: seen.traffic,
      look: seen,
      name,
      settings: file.publishers.find((each) => each.name === name) ?? null,
      keys: file.keys.filter((key) => key.publisher === name),
      figures: figuresOf(byTime.total, before.total, byTime.currency),
      charts: await timeCharts({ plots: parts.plots, currency: byTime.currency }, seen, byTime, [
        'spend',
        'impressions',
        'ctr',
        'fillRate',
      ]),
      noFills: sharesOf(byTime.total.noFills),
      ignored: sharesOf(byTime.total.ignored),
      reasons: REASONS,
      creatives: tableOf({
        by: ['creative'],
        rows: creatives.filter(({ group }) => group.creative !== null).slice(0, 12),
        total: null,
        order: null,
        sortHref: () => '',
        nameHref: nameLinks(path, seen),
        catalogue,
      }),
    });
  };
}
