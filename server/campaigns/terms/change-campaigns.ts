import type { Creative } from '../../../models/schema/creative.js';
import { campaignName } from '../../../models/audit/campaign-name.js';
import { changesBetween, type SubjectChange } from '../../../models/audit/changes-between.js';
import { isDamage } from '../../../models/snapshot/snapshot-fault.js';
import { changeAudited, type AuditedAction } from '../../audit/change-audited.js';
import type { SharedStore } from '../../stores/shared-store.js';
import type { CampaignFile } from './campaign-file.js';
import { type FeedCampaign, readFeedCampaigns } from './feed-campaigns.js';

/**
 * Changes the campaign file and records in the audit log who changed which price, budget or pause, with the values
 * before and after. If the feed's terms applied before, or apply again, the entry names them.
 *
 * @throws what `change` throws, DamagedStoreError
 */
export async function changeCampaigns<R>(
  store: SharedStore<CampaignFile>,
  audited: AuditedAction,
  change: (file: CampaignFile) => R,
): Promise<R> {
  const feed = await readFeedCampaigns(audited.dataDir).catch(withoutFeed);
  return changeAudited(store, audited, (before, after) => campaignChanges(before, after, feed), change);
}

/** Pausing a campaign must work even when the snapshot is damaged or unreadable. */
function withoutFeed(error: unknown): readonly FeedCampaign[] {
  if (!isDamage(error)) {
    process.emitWarning(`The audit log does not name the feed's terms, which cannot be read: ${String(error)}`);
  }
  return [];
}

export function campaignChanges(
  before: CampaignFile,
  after: CampaignFile,
  feed: readonly Pick<FeedCampaign, 'creative'>[],
): SubjectChange[] {
  const named = new Map<string, Creative>();
  for (const { creative } of feed) {
    const { campaign, advertiser } = creative;
    if (campaign === null) continue;
    for (const name of [campaign, campaignName(campaign, advertiser)]) if (!named.has(name)) named.set(name, creative);
  }
  return changesBetween({
    kind: 'campaign',
    before: before.campaigns,
    after: after.campaigns,
    nameOf: ({ name, of }) => campaignName(name, of),
    except: ['name', 'of'],
    feedOf: (name) => {
      const creative = named.get(name);
      return creative === undefined ? undefined : { ...creative, paused: false, pacing: 'asap' };
    },
  });
}
