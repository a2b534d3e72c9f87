import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { modelOf, readProfile } from '../models/encoder/profile.js';
import { layoutOf } from '../models/snapshot/layout.js';
import type { Config } from './config/config.js';
import { createApp } from './http/app.js';
import { openHttpServer } from './http/http-server.js';
import { openAdmin } from './open-admin.js';
import { openDecision } from './open-decision.js';
import { openStores } from './open-stores.js';
import { createMetrics } from './operation/metrics.js';
import { diskCheck, indexCheck, ledgerCheck } from './operation/readiness.js';

export interface ServeOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
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

const SCRIPT_DIR = fileURLToPath(new URL('../sdk/public/', import.meta.url));
const DEMO_DIR = fileURLToPath(new URL('../../sdk/demo/', import.meta.url));

/**
 * Opens everything in order and serves. The port comes first, so that a second start by mistake touches no data.
 *
 * @throws Error whose message says what to do, when a part cannot be opened
 */
export async function serve({ config, log, clock }: ServeOptions): Promise<Serving> {
  const { dataDir } = config;
  const server = await openHttpServer(config.port, config.host);
  const baseUrl = config.baseUrl ?? `http://localhost:${server.port}`;
  const profile = readProfile(modelOf(config), join(dataDir, 'models'));
  const stores = await openStores({ config, log, clock });
  const decision = await openDecision({ config, profile, stores, log, clock });
  const readiness = [
    { name: 'server', fault: () => (server.draining ? 'it is ending' : null) },
    indexCheck(decision.index),
    ledgerCheck(stores.ledger),
    diskCheck(dataDir),
  ];
  const admin = openAdmin({ config, baseUrl, profile, stores, decision, readiness, log, clock });

  const app = createApp({
    baseUrl,
    trustProxy: config.trustProxy,
    maxBodyBytes: config.maxBodyBytes,
    keys: stores.keys,
    decide: decision.decide,
    requestIds: stores.requestIds,
    ledger: stores.ledger,
    countEvent: decision.countEvent,
    creatives: decision.index,
    takedowns: decision.takedowns,
    readiness,
    dashboard: admin.dashboard,
    adminApi: admin.api,
    imagesDir: layoutOf(dataDir).images,
    scriptDir: SCRIPT_DIR,
    demo: stores.demoKey === null ? null : { directory: DEMO_DIR, apiKey: stores.demoKey },
    metrics: createMetrics(() => decision.encoder.waiting),
    log,
    clock,
  });
  server.handle(app.callback());

  return {
    baseUrl,
    port: server.port,
    demoKey: stores.demoKey,
    newAdminToken: stores.admin.made ? stores.admin.token : null,
    creatives: decision.index.state().live?.creatives ?? 0,
    async close() {
      await server.drain(NOTICE_MS, DRAIN_MS);
      await Promise.all([admin.close(), decision.close()]);
      await stores.close();
    },
  };
}
