import type { Creative } from '../../models/schema/creative.js';
import type { Cluster } from '../../models/cluster/cluster.js';
import { expectedMicros } from '../domain/billing.js';
import { takedownStore } from '../takedown/takedown-file.js';
import { campaignStore, type StoredCampaign } from './campaign-file.js';
import type { CampaignRules } from './campaigns.js';
import { dateIneligibility, storedFor, type Terms, termsOf } from './terms.js';

/**
 * What commands have set, without what only a running server knows: takedowns, pauses, dates, payers and prices hold, budgets and caps
 * do not. For commands that say what would be answered.
 *
 * @throws DamagedStoreError
 */
export async function readStoredRules(dataDir: string, cluster: Cluster | null): Promise<CampaignRules> {
  const { campaigns } = await campaignStore(dataDir, cluster).read();
  const { creatives } = await takedownStore(dataDir, cluster).read();
  const takenDown = new Set(creatives.map(({ id }) => id));
  const set = new Map<string, StoredCampaign[]>();
  for (const campaign of campaigns) set.set(campaign.name, [...(set.get(campaign.name) ?? []), campaign]);
  const termsHeld = (creative: Creative): Terms =>
    termsOf(creative, storedFor(set.get(creative.campaign ?? '') ?? [], creative.advertiser));
  return {
    effective: (creative) => termsHeld(creative).creative,
    expectedMicros: (creative) => expectedMicros(termsHeld(creative).creative.pricing),
    fault(creative, { now }) {
      if (takenDown.has(creative.id)) return 'taken-down';
      const { paused, startsAt, endsAt } = termsHeld(creative);
      return paused ? 'paused' : dateIneligibility(startsAt, endsAt, now);
    },
    recordServed: () => undefined,
  };
}
