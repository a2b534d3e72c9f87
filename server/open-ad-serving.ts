import type { Logger } from 'pino';
import { settleAll } from '../platform/time/settle-all.js';
import { createEncoder, type EncoderPool } from '../models/encoder/pool.js';
import type { EncoderProfile } from '../models/encoder/profile.js';
import { openVectorStore } from '../models/pgvector/vector-store.js';
import type { Campaigns } from './campaigns/campaigns.js';
import { openCampaigns } from './campaigns/live-campaigns.js';
import type { Config } from './config/config.js';
import { type Admission, createAdmission } from './decide/admission.js';
import { createDecide } from './decide/decide.js';
import type { Decide } from './domain/decision.js';
import { createCountEvent, type CountEvent, type CountEventOptions } from './events/count-event.js';
import { createAddressRates } from './events/address-rates.js';
import { openDataCentres } from './events/data-centres.js';
import { drainSpool } from './events/drain-spool.js';
import { createRapidClicks } from './events/rapid-clicks.js';
import { createRecentImpressions } from './events/recent-impressions.js';
import { isTrustworthy } from './domain/urls.js';
import { createExplain, type Explain } from './explain/explain.js';
import { ledgerLocation } from './ledger/database.js';
import { readPastAdCounts } from './ledger/past-ads/past-ad-counts.js';
import { openLiveIndex, type LiveIndex } from './live-index/live-index.js';
import type { Stores } from './open-stores.js';
import { openTakedowns, type Takedowns } from './takedown/live-takedowns.js';
import { requireGates, warnOfOtherEncoder } from './operation/readiness.js';

/** The parts that decide, explain and count: encoder, live index and campaigns. */
export interface AdServing {
  readonly encoder: EncoderPool;
  readonly index: LiveIndex;
  readonly campaigns: Campaigns;
  readonly takedowns: Takedowns;
  readonly decide: Decide;
  readonly admission: Admission;
  readonly explain: Explain;
  readonly countEvent: CountEvent;
  close(): Promise<void>;
}

export interface OpenAdServingOptions {
  readonly config: Config;
  readonly profile: EncoderProfile;
  readonly stores: Pick<Stores, 'nodes' | 'campaignFile' | 'takedownFile' | 'ledger' | 'requestIds' | 'eventSpool'>;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** Opens the second group of parts for `serve`. Resolves once the live snapshot is loaded, or cannot be. */
export async function openAdServing({ config, profile, stores, log, clock }: OpenAdServingOptions): Promise<AdServing> {
  const { dataDir, timeZone, workers } = config;
  const { campaignFile, takedownFile, ledger, requestIds, eventSpool: spool } = stores;
  const vectors = config.search === 'pgvector' ? await openVectorStore({ url: config.databaseUrl!, log }) : null;
  // Requests queue before the encoder (`admission`), so its own queue only needs room for the texts of admitted
  // requests.
  const encoder = await createEncoder(profile, { workers, queueLimit: Math.max(256, 32 * workers) });
  if (config.model === null) requireGates(encoder);
  warnOfOtherEncoder(encoder.fingerprint, dataDir, log);
  const index = openLiveIndex({ dataDir, encoder, log, vectors });
  // Writing a catalogue's vectors into the database may take an hour. Until then this node counts events, and its
  // readiness check keeps matches away.
  await (vectors === null ? index.opened : index.refreshLandingUrls().catch(() => undefined));
  const history = await readPastAdCounts(ledgerLocation(config), clock()).catch((error: unknown) => {
    log.error({ err: error }, 'campaigns: past impressions and clicks cannot be read; estimates start without them');
    return undefined;
  });
  const takedowns = await openTakedowns({ store: takedownFile, index, log });
  const options = { store: campaignFile, ledger, index, timeZone, clock, log, takedowns, ...(history && { history }) };
  const campaigns = await openCampaigns(options);
  const dataCentres = config.dataCentres === null ? null : await openDataCentres({ file: config.dataCentres, log });
  const handingOver = drainSpool({ spool, ledger, budgets: campaigns, log });
  const deciding = { encoder, index, config, campaigns };
  return {
    encoder,
    index,
    campaigns,
    takedowns,
    decide: createDecide(deciding),
    admission: createAdmission(2 * workers),
    explain: createExplain(deciding),
    countEvent: createCountEvent({
      requestIds,
      ledger,
      windows: config,
      budgets: campaigns,
      takedowns,
      hasNodes: stores.nodes !== null,
      rapidClicks: createRapidClicks(),
      recentImpressions: createRecentImpressions(),
      hasFetchMetadata: isTrustworthy(config.baseUrl),
      dataCentres,
      ...ratesOf(config),
      spool,
    }),
    async close() {
      try {
        await settleAll([
          index.close(),
          campaigns.close(),
          handingOver.close(),
          takedowns.close(),
          ...(dataCentres === null ? [] : [dataCentres.close()]),
          ...(vectors === null ? [] : [vectors.close()]),
        ]);
      } finally {
        await encoder.close();
      }
    },
  };
}

/**
 * Only a small share of the ads shown are clicked, so an address may load this many times more impressions than clicks.
 */
const IMPRESSIONS_PER_CLICK = 10;

function ratesOf({ clicksPerHour }: Config): Pick<CountEventOptions, 'clickRates' | 'impressionRates'> {
  if (clicksPerHour === 0) return { clickRates: null, impressionRates: null };
  return {
    clickRates: createAddressRates({ perHour: clicksPerHour }),
    impressionRates: createAddressRates({ perHour: clicksPerHour * IMPRESSIONS_PER_CLICK }),
  };
}
