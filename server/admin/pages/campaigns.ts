import type { Router } from '@koa/router';
import { changeCampaigns } from '../../campaigns/terms/change-campaigns.js';
import { CampaignChangeError, resolveCampaign, setCampaign } from '../../campaigns/terms/set-terms.js';
import type { ListedCampaign } from '../../campaigns/list-campaigns.js';
import { auditedIn } from './audited-in.js';
import { addNotice, hrefOf } from '../rendering/show.js';
import { filterParameters, type NameFilters } from '../query/page-query.js';
import { pageNumberIn, pageOf } from '../query/page-of.js';
import type { PageOptions } from './page-options.js';
import type { AdminState } from '../session/require-session.js';

/** Each row takes the server a tenth of a millisecond or more. */
const CAMPAIGNS_A_PAGE = 100;

/** `GET /admin/campaigns`: terms, budgets and spend; `POST` pauses or resumes a campaign. */
export function campaigns(router: Router<AdminState>, options: PageOptions): void {
  const { show, path, listCampaigns, campaigns: store, log } = options;
  router.get('/campaigns', async (ctx) => {
    const rows = (await listCampaigns()).map(toRow);
    const running = ({ state }: { readonly state: ListedCampaign['state'] }) => state === 'running';
    show(ctx, 'campaigns', {
      title: 'Campaigns',
      navEntry: 'campaigns',
      ...pageOf(
        rows.toSorted((one, other) => Number(running(other)) - Number(running(one))),
        pageNumberIn(new URLSearchParams(ctx.querystring)),
        CAMPAIGNS_A_PAGE,
      ),
      states: STATES,
    });
  });
  router.post('/campaigns/pause', async (ctx) => {
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
    ctx.status = 303;
    const page = form.get('page') ?? '';
    ctx.set('Location', hrefOf(`${path}/campaigns`, { page: page === '1' ? '' : page }));
    ctx.body = '';
  });
}

const STATES: Readonly<Record<ListedCampaign['state'], string>> = {
  running: 'running',
  paused: 'paused',
  'not-started': 'not started',
  ended: 'ended',
  'budget-spent': 'budget spent',
  'daily-budget-spent': 'day’s budget spent',
};

function toRow(campaign: ListedCampaign) {
  const { budgetMicros, dailyBudgetMicros, spentMicros, spentTodayMicros } = campaign;
  return {
    ...campaign,
    report: { by: 'day', ...filterParameters(filtersFor(campaign)) },
    share: shareOf(spentMicros, budgetMicros),
    shareToday: shareOf(spentTodayMicros, dailyBudgetMicros),
  };
}

/** Returns the filters of a campaign's figures: who pays for one that no feed names is unknown, so it may be anyone. */
function filtersFor({ name, of, advertiser }: ListedCampaign): NameFilters {
  return of === undefined && advertiser === null
    ? { campaign: name }
    : { campaign: name, advertiser: advertiser ?? '' };
}

/** Returns the spent share of a budget; null if there is no budget. */
function shareOf(spent: number, budget: number | null): number | null {
  if (budget === null) return null;
  return budget === 0 ? 1 : Math.min(1, spent / budget);
}
