import type { Logger } from 'pino';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import type { Encoder } from '../../../models/encoder/encoder.js';
import type { CampaignFile } from '../../campaigns/terms/campaign-file.js';
import type { ListedCampaign } from '../../campaigns/list-campaigns.js';
import type { Config } from '../../config/config.js';
import type { Explain } from '../../explain/explain.js';
import type { KeyFile } from '../../keys/key-file.js';
import type { Calendar } from '../../../platform/time/calendar.js';
import type { LiveIndex } from '../../live-index/live-index.js';
import { namedCreatives } from '../../live-index/named-creatives.js';
import type { ReadinessCheck } from '../../operation/readiness.js';
import type { SharedStore } from '../../stores/shared-store.js';
import type { TakedownFile } from '../../takedown/takedown-file.js';
import type { RunReport } from '../query/traffic.js';
import type { Attempts } from '../session/attempts.js';
import type { Plots } from '../plots/plot-thread.js';
import type { Show } from '../rendering/show.js';
import type { Creative } from '../../../models/schema/creative.js';

/** What the dashboard needs of the server around it. The caller closes what it passes in. */
export interface DashboardOptions {
  /** Public base URL, without a slash at the end. */
  readonly baseUrl: string;
  /** The secret that signs in. */
  readonly adminToken: string;
  /** Wrong guesses at it. */
  readonly attempts: Attempts;
  /** The settings in force; no page shows a secret among them. */
  readonly config: Config;
  /** The nodes that share what is changed; null: there are none. */
  readonly cluster: Cluster | null;
  readonly runReport: RunReport;
  readonly keys: SharedStore<KeyFile>;
  readonly campaigns: SharedStore<CampaignFile>;
  readonly takedowns: SharedStore<TakedownFile>;
  /** Every campaign with the terms that hold now and what it has spent. */
  readonly listCampaigns: () => Promise<readonly ListedCampaign[]>;
  /** Why a conversation gets an ad, or none. */
  readonly explain: Explain;
  readonly index: Pick<LiveIndex, 'current' | 'state'>;
  readonly encoder: Pick<Encoder, 'fingerprint' | 'dims'> & { readonly name: string };
  readonly readiness: readonly ReadinessCheck[];
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** What pages share. */
export interface PageOptions extends DashboardOptions {
  /** Path of the dashboard, without a slash at the end. */
  readonly path: string;
  /** Path of the base address, without a slash at the end. */
  readonly basePath: string;
  readonly calendar: Calendar;
  readonly catalogue: Catalogue;
  readonly plots: Plots;
  readonly show: Show;
}

/** The live catalogue by id; what has left it is known to reports by its id alone. */
export interface Catalogue {
  all(): readonly Creative[];
  find(id: string): Creative | undefined;
}

export function createCatalogue(index: Pick<LiveIndex, 'current'>): Catalogue {
  return {
    all: () => index.current()?.creatives ?? [],
    find(id) {
      const snapshot = index.current();
      return snapshot === null ? undefined : namedCreatives(snapshot).ids.get(id);
    },
  };
}
