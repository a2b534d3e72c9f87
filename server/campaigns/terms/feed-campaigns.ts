import type { Creative } from '../../../models/schema/creative.js';
import { readPointer } from '../../../models/snapshot/pointer.js';
import { readCreatives } from '../../../models/snapshot/read-creatives.js';
import { inBatches } from '../../../platform/time/in-batches.js';

/**
 * An advertiser's campaign in the live snapshot: one of its creatives (all have the same campaign terms), and their
 * number.
 */
export interface FeedCampaign {
  readonly creative: Creative;
  readonly creatives: number;
}

/**
 * Reads the campaigns that the live snapshot names, separately per advertiser, without loading its vectors.
 *
 * @returns an empty list before anything was published
 * @throws SnapshotFaultError when the snapshot is damaged
 */
export async function readFeedCampaigns(dataDir: string): Promise<readonly FeedCampaign[]> {
  return campaignsOf(await readLiveCreatives(dataDir));
}

/** Returns the campaigns of these creatives, separately per advertiser, in turns. */
export async function campaignsOf(creatives: readonly Creative[]): Promise<readonly FeedCampaign[]> {
  const campaigns = new Map<string, FeedCampaign>();
  await inBatches(creatives, (creative) => {
    if (creative.campaign === null) return;
    const key = JSON.stringify([creative.campaign, creative.advertiser]);
    campaigns.set(key, { creative, creatives: (campaigns.get(key)?.creatives ?? 0) + 1 });
  });
  return [...campaigns.values()];
}

/** Returns the advertisers that have a campaign of this name in the live snapshot; null: rows without an advertiser. */
export async function readCampaignAdvertisers(dataDir: string, campaign: string): Promise<(string | null)[]> {
  const named = (await readFeedCampaigns(dataDir)).filter(({ creative }) => creative.campaign === campaign);
  return named.map(({ creative }) => creative.advertiser);
}

/** Reads the creatives of the live snapshot, without loading its vectors; empty before anything was published. */
export async function readLiveCreatives(dataDir: string): Promise<readonly Creative[]> {
  const [id] = await readPointer(dataDir);
  return id === undefined ? [] : readCreatives(dataDir, id);
}
