import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { changeCampaigns } from '../../campaigns/terms/change-campaigns.js';
import { CampaignChangeError, resolveCampaign, setCampaign } from '../../campaigns/terms/set-terms.js';
import { auditedIn } from './audited-in.js';
import { figuresByCampaign } from './campaign-figures.js';
import { findCampaigns, firstCampaigns, readCampaignOrder } from './campaign-order.js';
import { campaignTable } from './campaign-table.js';
import { pageOf } from '../query/page-of.js';
import { parametersIn } from '../query/page-query.js';
import { readReportView } from '../query/report-view.js';
import { tolerantReports } from '../query/tolerant-reports.js';
import { addNotice, hrefOf } from '../rendering/show.js';
import { seeOther } from '../rendering/see-other.js';
import type { PageOptions } from './page-options.js';
import { pageOfForm, type AdminState } from '../session/require-session.js';

/** Each row takes the server a tenth of a millisecond or more. */
const CAMPAIGNS_A_PAGE = 100;

/**
 * `GET /admin/campaigns`: terms, budgets, spend and the figures of a period, to search and sort; `POST` pauses or
 * resumes a campaign.
 */
export function campaigns(router: Router<AdminState>, options: PageOptions): void {
  router.get('/campaigns', (ctx) => showCampaigns(ctx, options));
  router.post('/campaigns/pause', async (ctx) => {
    await pause(ctx, options);
    // Back to the search, or to the advertiser, for the same period and traffic.
    const page = pageOfForm(ctx, new URL(`${options.baseUrl}/admin`));
    seeOther(ctx, options.path + (/^\/(campaigns|advertiser)\?/.test(page) ? page : '/campaigns'));
  });
}

async function showCampaigns(ctx: Context, options: PageOptions): Promise<void> {
  const { show, path, listCampaigns } = options;
  // A campaign must be found and paused although reports fail.
  const reports = tolerantReports(options);
  const view = await readReportView(ctx, { ...options, runReport: reports.run });
  const { where, sort } = view.query;
  const search = (new URLSearchParams(ctx.querystring).get('q') ?? '').trim();
  const [report, all] = await Promise.all([view.report(['campaign']), listCampaigns()]);
  const figuresOf = await figuresByCampaign(report.rows);
  const found = await findCampaigns(all, search, where.advertiser);
  const order = readCampaignOrder(sort);
  const { page, pages } = pageOf(found, view.query.page, CAMPAIGNS_A_PAGE);
  const first = await firstCampaigns(
    found.map((campaign) => ({ campaign, figures: figuresOf(campaign) })),
    page * CAMPAIGNS_A_PAGE,
    order,
  );
  const parameters = { ...parametersIn(ctx.querystring), test: '', page: '' };
  const href = (more: Record<string, string>): string =>
    hrefOf(`${path}/campaigns`, { ...parameters, test: view.traffic.parameter, ...more });
  show(ctx, 'campaigns', {
    title: 'Campaigns',
    navEntry: 'campaigns',
    traffic: view.traffic,
    view,
    search,
    parameters,
    advertiser: where.advertiser ?? null,
    anyAdvertiserHref: href({ advertiser: '', none: '' }),
    table: campaignTable(first.slice((page - 1) * CAMPAIGNS_A_PAGE), view.query, order, (by) => href({ sort: by })),
    found: found.length,
    all: all.length,
    haveFigures: !reports.failed(),
    page,
    pages,
    earlier: page > 1 ? href({ page: String(page - 1) }) : null,
    later: page < pages ? href({ page: String(page + 1) }) : null,
  });
}

/** Pauses or resumes the campaign of a form, and leaves a notice in the session. */
async function pause(ctx: Context & { state: AdminState }, options: PageOptions): Promise<void> {
  const { listCampaigns, campaigns: store, log } = options;
  const { form, session } = ctx.state;
  const name = form.get('name') ?? '';
  const paused = form.get('paused') === 'true';
  // An advertiser's name is never empty: an empty field is the campaign of rows without an advertiser.
  const of = form.has('of') ? form.get('of') || null : undefined;
  const known = (await listCampaigns()).filter((campaign) => campaign.name === name);
  // A campaign without creatives is not in the feed: only a command has named it.
  const advertisers = known.filter(({ creatives }) => creatives > 0).map((campaign) => campaign.of ?? null);
  try {
    if (known.length === 0) throw new CampaignChangeError(`there is no campaign "${name}"`);
    const audited = auditedIn(ctx, options, paused ? 'campaigns pause' : 'campaigns resume');
    await changeCampaigns(store, audited, (file) =>
      setCampaign(file, resolveCampaign(file, name, advertisers, of), { paused }, advertisers),
    );
    log.info({ paused }, 'a campaign was changed in the dashboard');
    addNotice(session, { kind: 'done', text: `${name} ${paused ? 'is paused' : 'runs again'}, within a second.` });
  } catch (error) {
    if (!(error instanceof CampaignChangeError)) throw error;
    addNotice(session, { kind: 'failed', text: `Nothing was changed: ${error.message}.` });
  }
}
