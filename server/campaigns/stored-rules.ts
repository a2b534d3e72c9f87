import type { Cluster } from '../../platform/cluster/cluster.js';
import { expectedMicros } from '../domain/billing.js';
import { takedownStore } from '../takedown/takedown-file.js';
import { campaignStore } from './terms/campaign-file.js';
import type { CampaignRules } from './campaigns.js';
import { dateIneligibility, termsBy } from './terms/terms.js';

/**
 * Reads the campaign rules that are stored, without the state of a running server: takedowns, pauses, dates, payers and
 * prices apply, budgets and caps do not. For commands that show what would be served.
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
    ineligibility(creative, { now }) {
      if (takenDown.has(creative.id)) return 'taken-down';
      const { paused, startsAt, endsAt } = terms.of(creative);
      return paused ? 'paused' : dateIneligibility(startsAt, endsAt, now);
    },
    recordServed: () => undefined,
  };
}
