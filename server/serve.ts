import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { modelOf, readProfile } from '../models/encoder/profile.js';
import { layoutOf } from '../models/snapshot/layout.js';
import type { Config } from './config/config.js';
import { createCatchUp } from './live-index/catch-up.js';
import { createApp } from './http/app.js';
import { type HttpServer, openHttpServer } from './http/http-server.js';
import { createOperatorsApp } from './http/operators-app.js';
import { openAdmin } from './open-admin.js';
import { settleAll } from '../platform/time/settle-all.js';
import { keepScripts } from './keep-scripts.js';
import { openAdServing } from './open-ad-serving.js';
import { openStores } from './open-stores.js';
import { clockCheck } from './operation/clock-watch.js';
import { createMetrics } from './operation/metrics.js';
import { databaseCheck, diskCheck, encoderCheck, indexCheck, ledgerCheck } from './operation/readiness.js';

export interface ServeOptions {
  readonly config: Config;
  readonly log: Logger;
  /**
   * The machine's clock, epoch milliseconds. Everything but the stores uses the ledger's clock, which never goes back.
   */
  readonly clock: () => number;
}

/** The running service. */
export interface Serving {
  readonly baseUrl: string;
  readonly port: number;
  /** Port of the operators' paths; null: they are served on `port`. */
  readonly operatorsPort: number | null;
  readonly dashboardUrl: string;
  /** The demo's test key, made for this run only, or shared by all nodes; null: no demo. */
  readonly demoKey: string | null;
  /** The administration token if this start created it, to be shown once; else null. */
  readonly newAdminToken: string | null;
  readonly creatives: number;
  /** Shuts down in order, within 10 s: no accepted request fails, and everything counted is on disk. */
  close(): Promise<void>;
}

/** A client on an open connection gets one more response within this time, with `Connection: close`. */
const NOTICE_MS = 1000;
/** Running requests have this long to finish. */
const DRAIN_MS = 7000;

const SCRIPT_DIR = fileURLToPath(new URL('../sdk/public/', import.meta.url));
const DEMO_DIR = fileURLToPath(new URL('../../sdk/demo/', import.meta.url));

/**
 * Opens all parts in order and serves. The port is opened first, so that starting a second server by mistake touches no
 * data.
 *
 * @throws Error whose message says what to do when a part cannot be opened
 */
export async function serve({ config, log, clock: machineClock }: ServeOptions): Promise<Serving> {
  const { dataDir } = config;
  // Behind a proxy, all connections come from one address.
  const limits = config.trustProxy > 0 ? { connectionsPerNetwork: null } : {};
  const server = await openHttpServer(config.port, config.host, { limits, answersHealth: config.opsPort === null });
  const operators = await openOperators(config);
  const baseUrl = config.baseUrl ?? `http://localhost:${server.port}`;
  const profile = readProfile(modelOf(config), join(dataDir, 'models'));
  const stores = await openStores({ config, log, clock: machineClock });
  const clock = () => stores.ledger.now();
  const adServing = await openAdServing({ config, profile, stores, log, clock });
  const readiness = [
    { name: 'server', fault: () => (server.draining ? 'it is shutting down' : null) },
    indexCheck(adServing.index),
    encoderCheck(adServing.encoder),
    ledgerCheck(stores.ledger),
    ...(stores.nodes === null ? [] : [databaseCheck(stores.nodes)]),
    diskCheck(dataDir),
    clockCheck(stores.ledger),
  ];
  const metrics = createMetrics(
    () => ({ requests: adServing.admission.waiting, texts: adServing.encoder.waiting }),
    readiness,
  );
  const apart = operators !== null && config.opsDashboard;
  const adminUrl = apart ? `http://localhost:${operators.port}` : baseUrl;
  const admin = openAdmin({ config, baseUrl: adminUrl, profile, stores, adServing, readiness, log, clock });
  const pages = { dashboard: admin.dashboard, adminApi: admin.api };
  const noPages = { dashboard: null, adminApi: null };
  const imagesDir = layoutOf(dataDir).images;
  const keptScriptsDir = join(dataDir, 'sdk');
  await keepScripts({ from: SCRIPT_DIR, to: keptScriptsDir, now: machineClock() }).catch((error: unknown) => {
    log.error({ err: error }, 'the script cannot be kept for pages that pin it');
  });

  const app = createApp({
    baseUrl,
    trustProxy: config.trustProxy,
    maxBodyBytes: config.maxBodyBytes,
    countryHeader: config.countryHeader,
    keys: stores.keys,
    decide: adServing.decide,
    admission: adServing.admission,
    requestIds: stores.requestIds,
    ledger: stores.ledger,
    countEvent: adServing.countEvent,
    creatives: adServing.index,
    takedowns: adServing.takedowns,
    ...(stores.nodes === null ? {} : { catchUp: createCatchUp({ ...adServing, nodes: stores.nodes }) }),
    readiness: operators === null ? readiness : null,
    ...(apart ? noPages : pages),
    imagesDir,
    scriptDir: SCRIPT_DIR,
    keptScriptsDir,
    demo: stores.demoKey === null ? null : { directory: DEMO_DIR, apiKey: stores.demoKey },
    metrics,
    log,
    clock,
  });
  server.handle(app.callback());
  operators?.handle(
    createOperatorsApp({
      readiness,
      metrics,
      ...(apart ? pages : noPages),
      imagesDir,
      takedowns: adServing.takedowns,
      log,
      clock,
    }).callback(),
  );

  return {
    baseUrl,
    port: server.port,
    operatorsPort: operators?.port ?? null,
    dashboardUrl: `${adminUrl}/admin/`,
    demoKey: stores.demoKey,
    newAdminToken: stores.admin.made ? stores.admin.token : null,
    creatives: adServing.index.state().live?.creatives ?? 0,
    async close() {
      await server.drain(NOTICE_MS, DRAIN_MS);
      await operators?.drain(0, NOTICE_MS);
      try {
        await settleAll([admin.close(), adServing.close()]);
      } finally {
        // Whatever fails to close, the ledger still stores what it has accepted.
        await stores.close();
      }
    },
  };
}

/** Opens the operators' port; null: none is set. @throws ListenError */
async function openOperators({ opsPort, opsHost }: Config): Promise<HttpServer | null> {
  if (opsPort === null) return null;
  return openHttpServer(opsPort, opsHost, { names: { port: 'OPS_PORT', host: 'OPS_HOST' } });
}
