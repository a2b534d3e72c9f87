import type { Router } from '@koa/router';
import { changeCampaigns } from '../../campaigns/terms/change-campaigns.js';
import { CampaignChangeError, ownedCampaign, setCampaign } from '../../campaigns/terms/set-terms.js';
import { readOwners } from '../../campaigns/terms/feed-campaigns.js';
import type { ListedCampaign } from '../../campaigns/list-campaigns.js';
import { auditedIn } from './audited-in.js';
import { tell } from '../rendering/show.js';
import type { PageOptions } from './page-options.js';
import type { AdminState } from '../session/require-session.js';

/** `GET /admin/campaigns`: terms, budgets and what is spent of them; `POST` pauses one or lets it run again. */
export function campaigns(router: Router<AdminState>, options: PageOptions): void {
  const { show, path, listCampaigns, campaigns: store, config, log } = options;
  router.get('/campaigns', async (ctx) => {
    const rows = (await listCampaigns()).map(toRow);
    const running = ({ state }: { readonly state: ListedCampaign['state'] }) => state === 'running';
    show(ctx, 'campaigns', {
      title: 'Campaigns',
      place: 'campaigns',
      rows: rows.toSorted((one, other) => Number(running(other)) - Number(running(one))),
      states: STATES,
    });
  });
  router.post('/campaigns/pause', async (ctx) => {
    const { form, session } = ctx.state;
    const name = form.get('name') ?? '';
    const paused = form.get('paused') === 'true';
    // An advertiser's name is never empty: an empty field is a campaign of rows without one.
    const of = form.has('of') ? form.get('of') || null : undefined;
    const known = (await listCampaigns()).some((campaign) => campaign.name === name);
    try {
      if (!known) throw new CampaignChangeError(`there is no campaign "${name}"`);
      const audited = auditedIn(ctx, options, paused ? 'campaigns pause' : 'campaigns resume');
      const owners = await readOwners(config.dataDir, name);
      await changeCampaigns(store, audited, (file) =>
        setCampaign(file, ownedCampaign(file, name, owners, of), { paused }, owners),
      );
      log.info({ paused }, 'a campaign was changed in the dashboard');
      tell(session, { kind: 'done', text: `${name} ${paused ? 'is paused' : 'runs again'}, within a second.` });
    } catch (error) {
      if (!(error instanceof CampaignChangeError)) throw error;
      tell(session, { kind: 'failed', text: `Nothing was changed: ${error.message}.` });
    }
    ctx.status = 303;
    ctx.set('Location', `${path}/campaigns`);
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
    share: shareOf(spentMicros, budgetMicros),
    shareToday: shareOf(spentTodayMicros, dailyBudgetMicros),
  };
}

/** Null: there is no limit to have a share of. */
function shareOf(spent: number, budget: number | null): number | null {
  if (budget === null) return null;
  return budget === 0 ? 1 : Math.min(1, spent / budget);
}
