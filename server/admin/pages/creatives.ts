import type { Middleware } from 'koa';
import type { Creative } from '../../../models/schema/creative.js';
import { inBatches } from '../../../platform/time/in-batches.js';
import type { CampaignFile } from '../../campaigns/terms/campaign-file.js';
import { lookUpTerms } from '../../campaigns/terms/creative-in-force.js';
import { FirstRows } from '../query/first-rows.js';
import { readReportView } from '../query/report-view.js';
import type { ReportRow } from '../../reports/report.js';
import type { PageOptions } from './page-options.js';
import { hrefOf } from '../rendering/show.js';

const MAX_ROWS = 100;

/** `GET /admin/creatives`: the live catalogue on the terms in force, with each creative's figures for the period. */
export function creatives(options: PageOptions): Middleware {
  const { show, catalogue, path, takedowns } = options;
  return async (ctx) => {
    const view = await readReportView(ctx, options);
    const { from, to } = view.query;
    const search = (new URLSearchParams(ctx.querystring).get('q') ?? '').trim();
    const { rows } = await view.report(['creative']);
    const numbers = new Map<string, ReportRow>();
    await inBatches(rows, (row) => numbers.set(row.group.creative ?? '', row));
    const file = await options.campaigns.read();
    const all = catalogue.all();
    const isFound = matcher(file, search.toLowerCase());
    const impressionsOf = ({ id }: Creative): number => numbers.get(id)?.impressions ?? 0;
    const first = new FirstRows<Creative>(MAX_ROWS, (one, other) => impressionsOf(other) - impressionsOf(one));
    let found = 0;
    await inBatches(all, (creative) => {
      if (!isFound(creative)) return;
      found++;
      first.add(creative);
    });
    const shown = first
      .sorted()
      .map(lookUpTerms(file))
      .map((inForce) => ({ ...inForce, numbers: numbers.get(inForce.creative.id) ?? null }));
    show(ctx, 'creatives', {
      title: 'Creatives',
      navEntry: 'creatives',
      traffic: view.traffic,
      view,
      search,
      shown,
      takedowns: (await takedowns.read()).creatives,
      found,
      priceSet: new Set(
        shown.flatMap(({ creative, overridden }) => (overridden.includes('pricing') ? creative.id : [])),
      ),
      all: all.length,
      hrefOf: (id: string) => hrefOf(`${path}/creative`, { id, from, to, test: view.traffic.parameter }),
    });
  };
}

/**
 * Returns a test of whether a creative contains the searched text. Of the terms in force, only the advertiser is
 * searched, and few campaigns have it set: only their creatives are looked up.
 */
function matcher(file: CampaignFile, search: string): (creative: Creative) => boolean {
  const inForce = lookUpTerms(file);
  const renamed = new Set(file.campaigns.filter(({ advertiser }) => advertiser !== undefined).map(({ name }) => name));
  return (creative) =>
    matches(
      creative.campaign !== null && renamed.has(creative.campaign) ? inForce(creative).creative : creative,
      search,
    );
}

function matches({ id, name, text, advertiser, campaign, categories }: Creative, search: string): boolean {
  const words = [id, name, text ?? '', advertiser ?? '', campaign ?? '', ...categories];
  return words.some((each) => each.toLowerCase().includes(search));
}
