import type { Logger } from 'pino';
import type { Cluster } from '../../../platform/cluster/cluster.js';
import type { Encoder } from '../../../models/encoder/encoder.js';
import type { Access } from '../../access/access.js';
import type { CampaignFile } from '../../campaigns/terms/campaign-file.js';
import type { ListedCampaign } from '../../campaigns/list-campaigns.js';
import type { Config } from '../../config/config.js';
import type { Explain } from '../../explain/explain.js';
import type { KeyFile } from '../../keys/key-file.js';
import type { BillingFile } from '../../invoice/billing/billing-file.js';
import type { Calendar } from '../../../platform/time/calendar.js';
import type { LiveIndex } from '../../live-index/live-index.js';
import { creativeMapsOf, type CreativeMaps } from '../../live-index/creative-maps.js';
import type { ReadinessCheck } from '../../operation/readiness.js';
import type { SharedStore } from '../../stores/shared-store.js';
import type { TakedownFile } from '../../takedown/takedown-file.js';
import type { OwnFiguresOf } from '../../reports/own-figures.js';
import type { ReportThread } from '../../reports/report-thread.js';
import type { RunReport } from '../query/traffic.js';
import type { Attempts } from '../session/attempts.js';
import type { Plots } from '../plots/plot-thread.js';
import type { Show } from '../rendering/show.js';
import type { Creative } from '../../../models/schema/creative.js';

/** What the dashboard needs from the server. The caller closes what it passes in. */
export interface DashboardOptions {
  /** Public base URL, without a slash at the end. */
  readonly baseUrl: string;
  /** The secret with which nodes store sessions. */
  readonly adminToken: string;
  /** Knows who may sign in. */
  readonly access: Pick<Access, 'check' | 'find'>;
  /** Counts wrong tokens. */
  readonly attempts: Attempts;
  /** The settings in force. No page shows the secrets among them. */
  readonly config: Config;
  /** The nodes that share all changes; null: this server is alone. */
  readonly cluster: Cluster | null;
  readonly runReport: RunReport;
  /** Runs a report, and formats it as CSV in an order, off the event loop. */
  readonly reportCsv: ReportThread['csv'];
  /** Reads invoices, off the event loop. */
  readonly invoices: Pick<ReportThread, 'invoices' | 'invoice' | 'issuedInvoice'>;
  /** Who sells and who buys, on the invoices of open months. */
  readonly billing: SharedStore<BillingFile>;
  /** Returns an advertiser's or publisher's own figures. */
  readonly own: OwnFiguresOf;
  readonly keys: SharedStore<KeyFile>;
  readonly campaigns: SharedStore<CampaignFile>;
  readonly takedowns: SharedStore<TakedownFile>;
  /** Lists every campaign with the terms in force and its spend. */
  readonly listCampaigns: () => Promise<readonly ListedCampaign[]>;
  /** Explains why a conversation gets an ad, or none. */
  readonly explain: Explain;
  readonly index: Pick<LiveIndex, 'current' | 'state' | 'prepare' | 'forgetPrepared'>;
  readonly encoder: Pick<Encoder, 'fingerprint' | 'dims'> & { readonly name: string };
  readonly readiness: readonly ReadinessCheck[];
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** What all pages share. */
export interface PageOptions extends DashboardOptions {
  /** Path of the dashboard, without a slash at the end. */
  readonly path: string;
  /** Path of the base URL, without a slash at the end. */
  readonly basePath: string;
  readonly calendar: Calendar;
  readonly catalogue: Catalogue;
  readonly plots: Plots;
  readonly show: Show;
}

/** The live catalogue. Of creatives that have left it, reports know the id alone. */
export interface Catalogue {
  all(): readonly Creative[];
  find(id: string): Creative | undefined;
  /** By name, a creative of each advertiser with a campaign of that name. */
  campaigns(): ReadonlyMap<string, readonly Creative[]>;
}

export function createCatalogue(index: Pick<LiveIndex, 'current'>): Catalogue {
  const maps = (): CreativeMaps | undefined => {
    const snapshot = index.current();
    return snapshot === null ? undefined : creativeMapsOf(snapshot);
  };
  return {
    all: () => index.current()?.creatives ?? [],
    find: (id) => maps()?.ids.get(id),
    campaigns: () => maps()?.campaigns ?? new Map(),
  };
}
