import type { Creative } from '../../models/schema/creative.js';
import { readPointer } from '../../models/snapshot/pointer.js';
import { readCreatives } from '../../models/snapshot/read-creatives.js';

/** A campaign of the live snapshot: one of its creatives, which all agree on its terms, and how many there are. */
export interface FeedCampaign {
  readonly creative: Creative;
  readonly creatives: number;
}

/**
 * The campaigns that the live snapshot names, without loading its vectors.
 *
 * @returns none before anything was published
 * @throws SnapshotFaultError when the snapshot is damaged
 */
export async function readFeedCampaigns(dataDir: string): Promise<ReadonlyMap<string, FeedCampaign>> {
  const campaigns = new Map<string, FeedCampaign>();
  for (const creative of await readLiveCreatives(dataDir)) {
    if (creative.campaign === null) continue;
    campaigns.set(creative.campaign, { creative, creatives: (campaigns.get(creative.campaign)?.creatives ?? 0) + 1 });
  }
  return campaigns;
}

/** The creatives of the live snapshot, likewise. */
export async function readLiveCreatives(dataDir: string): Promise<readonly Creative[]> {
  const [id] = await readPointer(dataDir);
  return id === undefined ? [] : readCreatives(dataDir, id);
}
