import type { Middleware } from 'koa';
import { orderedRows } from '../../reports/order.js';
import { timeCharts } from '../plots/charts.js';
import { readReportView } from '../query/report-view.js';
import { isEmpty } from '../query/traffic.js';
import { figuresByCampaign } from './campaign-figures.js';
import { findCampaigns, firstCampaigns } from './campaign-order.js';
import { campaignTable } from './campaign-table.js';
import { figuresOf } from './figures.js';
import { unknownNames } from './known-names.js';
import { nameLinks } from './name-links.js';
import type { PageOptions } from './page-options.js';
import { tableOf } from './table.js';

const MAX_CAMPAIGNS = 12;
const MAX_CREATIVES = 12;

/** `GET /admin/advertiser?name=`: an advertiser's figures, campaigns and creatives; leads to its reports and invoices. */
export function advertiser(options: PageOptions): Middleware {
  const { show, path, catalogue, calendar, plots, listCampaigns } = options;
  return async (ctx) => {
    const name = new URLSearchParams(ctx.querystring).get('name') ?? '';
    if (name === '') return ctx.throw(404, 'there is no advertiser without a name');
    const view = await readReportView(ctx, options);
    const where = { advertiser: name };
    const [byTime, compared, byCampaign, byCreative, all] = await Promise.all([
      view.report([view.step], where),
      view.compare(where),
      view.report(['campaign'], where),
      view.report(['creative'], where),
      listCampaigns(),
    ]);
    const { currency } = byTime;
    const campaigns = await findCampaigns(all, '', name);
    if (campaigns.length === 0 && isEmpty(byTime.total)) {
      const [unknown] = await unknownNames(where, options);
      if (unknown !== undefined) return ctx.throw(404, unknown.replace(/\.$/, ''));
    }
    const figures = await figuresByCampaign(byCampaign.rows);
    const shown = await firstCampaigns(
      campaigns.map((campaign) => ({ campaign, figures: figures(campaign) })),
      MAX_CAMPAIGNS,
      { column: 'spend', descending: true },
    );
    const creatives = orderedRows(byCreative, { column: 'impressions', descending: true });
    show(ctx, 'advertiser', {
      title: name,
      navEntry: 'campaigns',
      traffic: view.traffic,
      view,
      name,
      // Only requests filled with its ads are counted for it: its fill rate would always be 1.
      figures: figuresOf(byTime.total, compared, currency).filter((figure) => figure.name !== 'Fill rate'),
      charts: await timeCharts({ plots, currency }, view, byTime, ['spend', 'impressions', 'clicks', 'fills']),
      table: campaignTable(shown, view.query),
      allCampaigns: campaigns.length,
      allCreatives: creatives.length,
      creatives: tableOf({
        by: ['creative'],
        rows: creatives.slice(0, MAX_CREATIVES),
        total: creatives.length > MAX_CREATIVES ? null : byCreative.total,
        order: null,
        sortHref: () => '',
        nameHref: nameLinks(path, view),
        catalogue,
        calendar,
        currency,
      }),
    });
    return undefined;
  };
}
