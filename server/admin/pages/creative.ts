import type { Middleware } from 'koa';
import { look } from '../query/look.js';
import { isEmpty } from '../query/traffic.js';
import type { Parts } from './parts.js';
import { sharesOf, timeCharts } from '../plots/charts.js';
import { API } from '../../domain/addresses.js';
import { figuresOf } from './figures.js';
import { nameLinks } from './links.js';
import { REASONS } from './reasons.js';
import { tableOf } from './table.js';

/** `GET /admin/creative?id=`: an ad as people see it, and what came of it. */
export function creative(parts: Parts): Middleware {
  const { show, path, basePath, catalogue } = parts;
  return async (ctx) => {
    const id = new URLSearchParams(ctx.querystring).get('id') ?? '';
    const seen = await look(ctx, parts);
    const where = { creative: id };
    const [byTime, before, byPublisher] = await Promise.all([
      seen.report([seen.step], where),
      seen.reportBefore(where),
      seen.report(['publisher'], where),
    ]);
    const shown = catalogue.find(id) ?? null;
    if (id === '' || (shown === null && isEmpty((await parts.ask({ by: [], where, test: seen.traffic.test })).total))) {
      return ctx.throw(404, 'there is no such creative, and nothing was counted for one');
    }
    show(ctx, 'creative', {
      title: shown?.name ?? id,
      place: 'creatives',
      traffic: seen.traffic,
      look: seen,
      id,
      creative: shown,
      image: shown?.imageFile ? `${basePath}${API}/images/${shown.imageFile}` : null,
      // A creative is in no request that was not filled with it: a fill rate would always be 1.
      figures: figuresOf(byTime.total, before.total, byTime.currency).filter(({ name }) => name !== 'Fill rate'),
      charts: await timeCharts({ plots: parts.plots, currency: byTime.currency }, seen, byTime, [
        'spend',
        'impressions',
        'clicks',
        'ctr',
      ]),
      ignored: sharesOf(byTime.total.ignored),
      reasons: REASONS,
      publishers: tableOf({
        by: ['publisher'],
        rows: byPublisher.rows,
        total: byPublisher.total,
        order: null,
        sortHref: () => '',
        nameHref: nameLinks(path, seen),
        catalogue,
      }),
    });
  };
}
