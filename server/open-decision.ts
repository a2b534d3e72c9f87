import { join } from 'node:path';
import type { Logger } from 'pino';
import { createEncoder, type EncoderPool } from '../models/encoder/pool.js';
import type { EncoderProfile } from '../models/encoder/profile.js';
import type { Campaigns } from './campaigns/campaigns.js';
import { readHistory } from './campaigns/history.js';
import { openCampaigns } from './campaigns/live-campaigns.js';
import type { Config } from './config/config.js';
import { createDecide } from './decide/decide.js';
import type { Decide } from './domain/decision.js';
import { createCountEvent, type CountEvent } from './events/count-event.js';
import { createRapidClicks } from './events/rapid-clicks.js';
import { createExplain, type Explain } from './explain/explain.js';
import { LEDGER_FILE } from './ledger/database.js';
import { openLiveIndex, type LiveIndex } from './live-index/live-index.js';
import type { Stores } from './open-stores.js';
import { openTakedowns, type Takedowns } from './takedown/live-takedowns.js';
import { warnOfOtherEncoder } from './operation/readiness.js';

/** What decides, explains and counts: encoder, live index and campaigns put together. */
export interface Decision {
  readonly encoder: EncoderPool;
  readonly index: LiveIndex;
  readonly campaigns: Campaigns;
  readonly takedowns: Takedowns;
  readonly decide: Decide;
  readonly explain: Explain;
  readonly countEvent: CountEvent;
  close(): Promise<void>;
}

export interface OpenDecisionOptions {
  readonly config: Config;
  readonly profile: EncoderProfile;
  readonly stores: Pick<Stores, 'campaignFile' | 'takedownFile' | 'ledger' | 'requestIds'>;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** The second step of `serve`: resolves once the live snapshot was loaded, or none could be. */
export async function openDecision({ config, profile, stores, log, clock }: OpenDecisionOptions): Promise<Decision> {
  const { dataDir, timeZone, workers } = config;
  const { campaignFile, takedownFile, ledger, requestIds } = stores;
  const encoder = await createEncoder(profile, { workers });
  warnOfOtherEncoder(encoder.fingerprint, dataDir, log);
  const index = openLiveIndex({ dataDir, encoder, log, clock });
  await index.opened;
  const history = readHistory(join(dataDir, LEDGER_FILE), clock());
  const takedowns = await openTakedowns({ store: takedownFile, index, log });
  const options = { store: campaignFile, ledger, index, timeZone, clock, log, history, takedowns };
  const campaigns = await openCampaigns(options);
  const deciding = { encoder, index, config, campaigns };
  return {
    encoder,
    index,
    campaigns,
    takedowns,
    decide: createDecide(deciding),
    explain: createExplain(deciding),
    countEvent: createCountEvent({
      requestIds,
      ledger,
      windows: config,
      budgets: campaigns,
      takedowns,
      rapidClicks: createRapidClicks(),
    }),
    async close() {
      await Promise.all([index.close(), campaigns.close(), takedowns.close()]);
      await encoder.close();
    },
  };
}
