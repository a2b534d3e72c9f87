import type { Creative } from '../../models/schema/creative.js';
import { campaignName } from '../../models/audit/campaign-name.js';
import { changesBetween, type SubjectChange } from '../../models/audit/changes-between.js';
import { changeAudited, type AuditedAction } from '../audit/change-audited.js';
import type { SharedStore } from '../stores/shared-store.js';
import type { CampaignFile } from './campaign-file.js';
import { type FeedCampaign, readFeedCampaigns } from './feed-campaigns.js';

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
  const feed = await readFeedCampaigns(audited.dataDir).catch(() => []);
  return changeAudited(store, audited, (before, after) => campaignChanges(before, after, feed), change);
}

export function campaignChanges(
  before: CampaignFile,
  after: CampaignFile,
  feed: readonly Pick<FeedCampaign, 'creative'>[],
): SubjectChange[] {
  return changesBetween({
    kind: 'campaign',
    before: before.campaigns,
    after: after.campaigns,
    nameOf: ({ name, of }) => campaignName(name, of),
    except: ['name', 'of'],
    feedOf: (name) => {
      const creative = feed.map((each) => each.creative).find((each) => isNamed(each, name));
      return creative === undefined ? undefined : { ...creative, paused: false, pacing: 'asap' };
    },
  });
}

function isNamed({ campaign, advertiser }: Creative, name: string): boolean {
  return campaign !== null && (campaign === name || campaignName(campaign, advertiser) === name);
}
