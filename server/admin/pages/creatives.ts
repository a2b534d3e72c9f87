import type { Middleware } from 'koa';
import type { Creative } from '../../../models/schema/creative.js';
import { lookUpTerms } from '../../campaigns/in-force.js';
import { readReportView } from '../query/report-view.js';
import type { PageOptions } from './page-options.js';
import { hrefOf } from '../view/show.js';

const MAX_ROWS = 100;

/** `GET /admin/creatives`: the live catalogue on the terms that hold, with what came of each creative in the period. */
export function creatives(options: PageOptions): Middleware {
  const { show, catalogue, path, takedowns } = options;
  return async (ctx) => {
    const view = await readReportView(ctx, options);
    const { from, to } = view.query;
    const search = (new URLSearchParams(ctx.querystring).get('q') ?? '').trim();
    const { rows } = await view.report(['creative']);
    const numbers = new Map(rows.map((row) => [row.group.creative, row]));
    const found = catalogue
      .all()
      .map(lookUpTerms(await options.campaigns.read()))
      .filter(({ creative }) => matches(creative, search.toLowerCase()));
    const shown = found
      .map((inForce) => ({ ...inForce, numbers: numbers.get(inForce.creative.id) ?? null }))
      .toSorted((one, other) => (other.numbers?.impressions ?? 0) - (one.numbers?.impressions ?? 0))
      .slice(0, MAX_ROWS);
    show(ctx, 'creatives', {
      title: 'Creatives',
      place: 'creatives',
      traffic: view.traffic,
      view,
      search,
      shown,
      takedowns: (await takedowns.read()).creatives,
      found: found.length,
      priceSet: new Set(shown.flatMap(({ creative, set }) => (set.includes('pricing') ? creative.id : []))),
      all: catalogue.all().length,
      hrefOf: (id: string) => hrefOf(`${path}/creative`, { id, from, to, test: view.traffic.parameter }),
    });
  };
}

function matches({ id, name, text, advertiser, campaign, categories }: Creative, search: string): boolean {
  const words = [id, name, text ?? '', advertiser ?? '', campaign ?? '', ...categories];
  return words.some((each) => each.toLowerCase().includes(search));
}
