import type { Creative } from '../../../models/schema/creative.js';
import { readPointer } from '../../../models/snapshot/pointer.js';
import { readCreatives } from '../../../models/snapshot/read-creatives.js';
import { inTurns } from '../../../platform/time/in-turns.js';

/** An advertiser's campaign of the live snapshot: one of its creatives, which all agree on its terms, and how many there are. */
export interface FeedCampaign {
  readonly creative: Creative;
  readonly creatives: number;
}

/**
 * The campaigns that the live snapshot names, each advertiser's apart, without loading its vectors.
 *
 * @returns none before anything was published
 * @throws SnapshotFaultError when the snapshot is damaged
 */
export async function readFeedCampaigns(dataDir: string): Promise<readonly FeedCampaign[]> {
  const campaigns = new Map<string, FeedCampaign>();
  await inTurns(await readLiveCreatives(dataDir), (creative) => {
    if (creative.campaign === null) return;
    const key = JSON.stringify([creative.campaign, creative.advertiser]);
    campaigns.set(key, { creative, creatives: (campaigns.get(key)?.creatives ?? 0) + 1 });
  });
  return [...campaigns.values()];
}

/** The advertisers that have a campaign of a name in the live snapshot; null: rows without an advertiser. */
export async function readOwners(dataDir: string, campaign: string): Promise<(string | null)[]> {
  const named = (await readFeedCampaigns(dataDir)).filter(({ creative }) => creative.campaign === campaign);
  return named.map(({ creative }) => creative.advertiser);
}

/** The creatives of the live snapshot, likewise. */
export async function readLiveCreatives(dataDir: string): Promise<readonly Creative[]> {
  const [id] = await readPointer(dataDir);
  return id === undefined ? [] : readCreatives(dataDir, id);
}
