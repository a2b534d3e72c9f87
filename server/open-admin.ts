import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { createCalendar } from '../platform/time/calendar.js';
import type { EncoderProfile } from '../models/encoder/profile.js';
import { createDashboard } from './admin/dashboard.js';
import { createAttempts } from './admin/session/attempts.js';
import { adminApi } from './admin/admin-api.js';
import { overriddenCampaigns } from './campaigns/terms/campaign-file.js';
import { readCampaigns } from './campaigns/list-campaigns.js';
import type { Config } from './config/config.js';
import { reportsLocation } from './ledger/database.js';
import type { AdServing } from './open-ad-serving.js';
import type { Stores } from './open-stores.js';
import type { ReadinessCheck } from './operation/readiness.js';
import { createOwnFigures } from './reports/own-figures.js';
import { createReportThread } from './reports/report-thread.js';

/** The operator's interface: the dashboard below `/admin`, and the report API for programs below `/admin/api`. */
export interface Admin {
  readonly dashboard: Middleware;
  readonly api: Middleware;
  close(): Promise<void>;
}

export interface OpenAdminOptions {
  readonly config: Config;
  readonly baseUrl: string;
  readonly profile: EncoderProfile;
  readonly stores: Stores;
  readonly adServing: AdServing;
  readonly readiness: readonly ReadinessCheck[];
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** Opens the third group of parts for `serve`. */
export function openAdmin(options: OpenAdminOptions): Admin {
  const { config, baseUrl, profile, stores, adServing, readiness, log, clock } = options;
  const { currency, timeZone } = config;
  const { admin, access, keyFile, campaignFile, takedownFile, billingFile } = stores;
  const { encoder, index, explain } = adServing;
  const settings = { location: reportsLocation(config), currency, timeZone };
  const reports = createReportThread(settings);
  // Advertisers and publishers have a thread of their own, so that no operator waits for their reports.
  const ownReports = createReportThread(settings);
  const own = createOwnFigures(ownReports);
  // Wrong guesses at a token share one counter, whether they come through the dashboard or the API.
  const attempts = createAttempts(clock);
  const dashboard = createDashboard({
    baseUrl,
    attempts,
    adminToken: admin.token,
    access,
    config,
    cluster: stores.nodes?.cluster ?? null,
    runReport: (query) => reports.report(query),
    reportCsv: (query, sort) => reports.csv(query, sort),
    invoices: reports,
    billing: billingFile,
    own,
    keys: keyFile,
    campaigns: campaignFile,
    takedowns: takedownFile,
    listCampaigns: async () => {
      const now = clock();
      const [{ campaigns }, { creatives: takedowns }] = [await campaignFile.read(), await takedownFile.read()];
      const spend = await stores.ledger.spending(now);
      return readCampaigns(config, { campaigns, takedowns }, now, spend, index.current()?.creatives);
    },
    explain,
    index,
    encoder: { name: profile.name, fingerprint: encoder.fingerprint, dims: encoder.dims },
    readiness,
    log,
    clock,
  });
  return {
    dashboard: dashboard.routes,
    api: adminApi({
      reports,
      own,
      calendar: createCalendar(timeZone),
      clock,
      setByCommand: async () => overriddenCampaigns(await campaignFile.read()),
      access,
      attempts,
      log,
    }),
    async close() {
      await Promise.all([dashboard.close(), reports.close(), ownReports.close()]);
    },
  };
}
