import type { Middleware } from 'koa';
import type { Creative } from '../../../models/schema/creative.js';
import { look } from '../query/look.js';
import type { Parts } from './parts.js';
import { hrefOf } from '../view/show.js';

const MOST_ROWS = 100;

/** `GET /admin/creatives`: the live catalogue, with what came of each creative in the period. */
export function creatives(parts: Parts): Middleware {
  const { show, catalogue, path } = parts;
  return async (ctx) => {
    const seen = await look(ctx, parts);
    const { from, to } = seen.question;
    const search = (new URLSearchParams(ctx.querystring).get('q') ?? '').trim();
    const { rows } = await seen.report(['creative']);
    const numbers = new Map(rows.map((row) => [row.group.creative, row]));
    const found = catalogue.all().filter((creative) => matches(creative, search.toLowerCase()));
    const shown = found
      .map((creative) => ({ creative, numbers: numbers.get(creative.id) ?? null }))
      .toSorted((one, other) => (other.numbers?.impressions ?? 0) - (one.numbers?.impressions ?? 0))
      .slice(0, MOST_ROWS);
    show(ctx, 'creatives', {
      title: 'Creatives',
      place: 'creatives',
      traffic: seen.traffic,
      look: seen,
      search,
      shown,
      found: found.length,
      all: catalogue.all().length,
      hrefOf: (id: string) => hrefOf(`${path}/creative`, { id, from, to, test: seen.traffic.parameter }),
    });
  };
}

function matches({ id, name, text, advertiser, campaign, categories }: Creative, search: string): boolean {
  const words = [id, name, text ?? '', advertiser ?? '', campaign ?? '', ...categories];
  return words.some((each) => each.toLowerCase().includes(search));
}
