import type { Creative } from '../../models/schema/creative.js';
import { changesBetween, type SubjectChange } from '../../models/audit/changes-between.js';
import { changeAudited, type AuditedAction } from '../audit/change-audited.js';
import type { SharedStore } from '../stores/shared-store.js';
import type { CampaignFile } from './campaign-file.js';
import { readFeedCampaigns } from './feed-campaigns.js';

/**
 * Changes the campaigns' file and records who changed which price, budget or pause, from what to what: where the feed's
 * terms held before, or hold again, these are named.
 *
 * @throws whatever `change` throws, DamagedStoreError
 */
export async function changeCampaigns<R>(
  store: SharedStore<CampaignFile>,
  audited: AuditedAction,
  change: (file: CampaignFile) => R,
): Promise<R> {
  // A damaged snapshot must not keep a campaign from being paused.
  const feed = await readFeedCampaigns(audited.dataDir).catch(() => new Map<string, { creative: Creative }>());
  return changeAudited(
    store,
    audited,
    (before, after) => campaignChanges(before, after, (name) => feed.get(name)?.creative),
    change,
  );
}

export function campaignChanges(
  before: CampaignFile,
  after: CampaignFile,
  feedOf: (campaign: string) => Creative | undefined,
): SubjectChange[] {
  return changesBetween({
    kind: 'campaign',
    before: before.campaigns,
    after: after.campaigns,
    nameOf: ({ name }) => name,
    except: ['name'],
    feedOf: (name) => {
      const creative = feedOf(name);
      return creative === undefined ? undefined : { ...creative, paused: false, pacing: 'asap' };
    },
  });
}
