import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { createEncoder } from '../models/encoder/pool.js';
import type { Encoder } from '../models/encoder/encoder.js';
import { BUNDLED_MODEL, readProfile } from '../models/encoder/profile.js';
import { makeDirectory } from '../models/files/data-directory.js';
import { layoutOf } from '../models/snapshot/layout.js';
import { createDashboard } from './admin/dashboard.js';
import { reportsApi } from './admin/reports-api.js';
import { createApp } from './http/app.js';
import { campaignStore } from './campaigns/campaign-file.js';
import type { Campaigns } from './campaigns/campaigns.js';
import { readFeedCampaigns } from './campaigns/feed-campaigns.js';
import { listCampaigns } from './campaigns/list.js';
import { openCampaigns } from './campaigns/open-campaigns.js';
import { readSpent } from './campaigns/read-spent.js';
import { overriddenCampaigns } from './campaigns/overridden.js';
import type { Config } from './config/config.js';
import type { Decide } from './domain/decision.js';
import { createCountEvent } from './events/count-event.js';
import { createRapidClicks } from './events/rapid-clicks.js';
import { createExplain } from './explain/explain.js';
import { openHttpServer } from './http/http-server.js';
import { makeKey } from './keys/changes.js';
import { keyStore } from './keys/key-file.js';
import { openKeys } from './keys/live-keys.js';
import { createCalendar } from '../models/time/calendar.js';
import { LEDGER_FILE } from './ledger/database.js';
import { createLedger } from './ledger/embedded-ledger.js';
import { openLiveIndex, type LiveIndex } from './live-index/live-index.js';
import { bearerToken } from './http/middleware/bearer-token.js';
import { adminToken } from './admin/session/admin-token.js';
import { createMetrics } from './operation/metrics.js';
import { diskCheck, indexCheck, ledgerCheck } from './operation/readiness.js';
import { warnOfOtherEncoder } from './operation/encoder-warnings.js';
import { createReportThread } from './reports/report-thread.js';
import { createRequestIds } from './request-id/request-ids.js';
import { openSigningKeys } from './request-id/signing-key-file.js';

export interface ServeOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** How answers are decided, once encoder and index are there. */
  readonly decideWith: (parts: { encoder: Encoder; index: LiveIndex; config: Config; campaigns: Campaigns }) => Decide;
}

/** The running service. */
export interface Serving {
  readonly baseUrl: string;
  readonly port: number;
  /** The demo's test key, made for this run only; null: no demo. */
  readonly demoKey: string | null;
  /** The administration token when it was made just now, to be shown this once. */
  readonly newAdminToken: string | null;
  readonly creatives: number;
  /** Ends in order, within 10 s: no accepted request fails, and what was counted is on the disk. */
  close(): Promise<void>;
}

/** A client that keeps its connection open gets one more answer within this time, with `Connection: close`. */
const NOTICE_MS = 1000;
/** Requests under way may take this long to end. */
const DRAIN_MS = 7000;

/**
 * Opens everything in order and serves. The port comes first, so that a second start by mistake touches no data.
 *
 * @throws Error whose message says what to do, when a part cannot be opened
 */
export async function serve({ config, log, clock, decideWith }: ServeOptions): Promise<Serving> {
  const { dataDir, currency, timeZone } = config;
  const server = await openHttpServer(config.port, config.host);
  const baseUrl = config.baseUrl ?? `http://localhost:${server.port}`;
  const profile = readProfile(config.model ?? BUNDLED_MODEL, join(dataDir, 'models'));
  makeDirectory(dataDir);
  const admin = await adminToken(dataDir, config.adminToken);
  const signingKeys = config.signingKeys ?? openSigningKeys(dataDir, clock(), config.clickWindowMs);
  const demo = config.demo ? makeKey(DEMO, clock()) : null;
  const keys = await openKeys({ store: keyStore(dataDir), inMemory: demo ? [demo.stored] : [], clock, log });
  const ledger = await createLedger({
    file: join(dataDir, LEDGER_FILE),
    currency,
    timeZone,
    keepEventsDays: config.keepEventsDays,
  });
  const encoder = await createEncoder(profile, { workers: config.workers });
  warnOfOtherEncoder(encoder.fingerprint, dataDir, log);
  const index = openLiveIndex({ dataDir, encoder, log, clock });
  await index.opened;
  const campaigns = await openCampaigns({ store: campaignStore(dataDir), ledger, index, timeZone, clock, log });

  const requestIds = createRequestIds(signingKeys);
  const readiness = [
    { name: 'server', fault: () => (server.draining ? 'it is ending' : null) },
    indexCheck(index),
    ledgerCheck(ledger),
    diskCheck(dataDir),
  ];
  const reports = createReportThread({ file: join(dataDir, LEDGER_FILE), currency, timeZone });
  const dashboard = createDashboard({
    baseUrl,
    adminToken: admin.token,
    config,
    runReport: (query) => reports.report(query),
    keys: keyStore(dataDir),
    campaigns: campaignStore(dataDir),
    listCampaigns: async () => {
      const set = (await campaignStore(dataDir).read()).campaigns;
      const spent = readSpent(join(dataDir, LEDGER_FILE), createCalendar(timeZone), clock());
      return listCampaigns(await readFeedCampaigns(dataDir), set, spent, clock());
    },
    explain: createExplain({ encoder, index, config, campaigns }),
    index,
    encoder: { name: profile.name, fingerprint: encoder.fingerprint, dims: encoder.dims },
    readiness,
    log,
    clock,
  });
  const app = createApp({
    baseUrl,
    trustProxy: config.trustProxy,
    maxBodyBytes: config.maxBodyBytes,
    keys,
    decide: decideWith({ encoder, index, config, campaigns }),
    requestIds,
    ledger,
    countEvent: createCountEvent({
      requestIds,
      ledger,
      windows: config,
      budgets: campaigns,
      rapidClicks: createRapidClicks(),
    }),
    creatives: index,
    readiness,
    dashboard: dashboard.routes,
    adminApi: reportsApi({
      reports,
      setByCommand: async () => overriddenCampaigns(await campaignStore(dataDir).read()),
      authorise: bearerToken({ token: admin.token }),
    }),
    imagesDir: layoutOf(dataDir).images,
    scriptDir: fileURLToPath(new URL('../sdk/public/', import.meta.url)),
    demo: demo && { directory: fileURLToPath(new URL('../../sdk/demo/', import.meta.url)), apiKey: demo.key },
    metrics: createMetrics(() => encoder.waiting),
    log,
    clock,
  });
  server.handle(app.callback());

  return {
    baseUrl,
    port: server.port,
    demoKey: demo?.key ?? null,
    newAdminToken: admin.made ? admin.token : null,
    creatives: index.state().live?.creatives ?? 0,
    async close() {
      await server.drain(NOTICE_MS, DRAIN_MS);
      await Promise.all([index.close(), keys.close(), campaigns.close(), dashboard.close(), reports.close()]);
      await Promise.all([encoder.close(), ledger.close()]);
    },
  };
}

const DEMO = { publisher: 'Demo', test: true, origins: [], requestsPerMinute: null, expiresAt: null };
