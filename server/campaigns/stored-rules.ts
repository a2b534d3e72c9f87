import type { Cluster } from '../../platform/cluster/cluster.js';
import { expectedMicros } from '../domain/billing.js';
import { takedownStore } from '../takedown/takedown-file.js';
import { campaignStore } from './terms/campaign-file.js';
import type { CampaignRules } from './campaigns.js';
import { dateIneligibility, termsBy } from './terms/terms.js';

/**
 * What commands have set, without what only a running server knows: takedowns, pauses, dates, payers and prices hold, budgets and caps
 * do not. For commands that say what would be answered.
 *
 * @throws DamagedStoreError
 */
export async function readStoredRules(dataDir: string, cluster: Cluster | null): Promise<CampaignRules> {
  const terms = termsBy(await campaignStore(dataDir, cluster).read());
  const { creatives } = await takedownStore(dataDir, cluster).read();
  const takenDown = new Set(creatives.map(({ id }) => id));
  return {
    effective: (creative) => terms.of(creative).creative,
    expectedMicros: (creative) => expectedMicros(terms.of(creative).creative.pricing),
    fault(creative, { now }) {
      if (takenDown.has(creative.id)) return 'taken-down';
      const { paused, startsAt, endsAt } = terms.of(creative);
      return paused ? 'paused' : dateIneligibility(startsAt, endsAt, now);
    },
    recordServed: () => undefined,
  };
}
