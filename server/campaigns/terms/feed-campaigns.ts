import type { Creative } from '../../../models/schema/creative.js';
import { readPointer } from '../../../models/snapshot/pointer.js';
import { readCreatives } from '../../../models/snapshot/read-creatives.js';
import { inBatches } from '../../../platform/time/in-batches.js';

/** An advertiser's campaign in the live snapshot. */
export interface FeedCampaign {
  /** One of its creatives: all have the same campaign terms. */
  readonly creative: Creative;
  /** Number of its creatives. */
  readonly creatives: number;
  /** How many of them are taken down. */
  readonly takenDown: number;
  /** The sources that name it; empty: the default source alone. */
  readonly sources: readonly string[];
}

/**
 * Reads the campaigns that the live snapshot names, separately per advertiser, without loading its vectors.
 *
 * @param takenDown ids of creatives; by default none counts as taken down
 * @returns an empty list before anything was published
 * @throws SnapshotFaultError when the snapshot is damaged
 */
export async function readFeedCampaigns(
  dataDir: string,
  takenDown?: ReadonlySet<string>,
): Promise<readonly FeedCampaign[]> {
  return campaignsOf(await readLiveCreatives(dataDir), takenDown);
}

/** Returns the campaigns of these creatives, separately per advertiser, in turns. @param takenDown ids of creatives */
export async function campaignsOf(
  creatives: readonly Creative[],
  takenDown: ReadonlySet<string> = new Set(),
): Promise<readonly FeedCampaign[]> {
  const campaigns = new Map<string, FeedCampaign>();
  await inBatches(creatives, (creative) => {
    if (creative.campaign === null) return;
    const key = JSON.stringify([creative.campaign, creative.advertiser]);
    const known = campaigns.get(key);
    const sources = known?.sources ?? [];
    const { source } = creative;
    campaigns.set(key, {
      creative,
      creatives: (known?.creatives ?? 0) + 1,
      takenDown: (known?.takenDown ?? 0) + Number(takenDown.has(creative.id)),
      sources: source === undefined || sources.includes(source) ? sources : [...sources, source],
    });
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
