import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Cluster } from '../platform/cluster/cluster.js';
import { getOrCreateDocument } from '../platform/cluster/documents.js';
import { findOutOfReach, makeDataDirectory } from '../platform/files/data-directory.js';
import { settleAll } from '../platform/time/settle-all.js';
import { accessChanges, auditedAccess } from './access/change-access.js';
import { type Access, openAccess } from './access/access.js';
import { accessStore } from './access/access-file.js';
import { adminToken, type AdminToken } from './admin/session/admin-token.js';
import { followEdits } from './audit/follow-edits.js';
import { campaignStore, type CampaignFile } from './campaigns/terms/campaign-file.js';
import { campaignChanges } from './campaigns/terms/change-campaigns.js';
import type { Config } from './config/config.js';
import type { RequestIds } from './domain/claims.js';
import type { Keys } from './domain/publisher.js';
import { openEventSpool, SPOOL_FILE, type EventSpool } from './events/event-spool.js';
import { type BillingFile, billingStore } from './invoice/billing/billing-file.js';
import { billingChanges } from './invoice/billing/change-billing.js';
import { keyChanges } from './keys/change-keys.js';
import { type CreatedKey, buildKey } from './keys/key-operations.js';
import { keyStore, type KeyFile } from './keys/key-file.js';
import { openKeys } from './keys/verify-key.js';
import { ledgerLocation } from './ledger/database.js';
import { createLedger, type ServerLedger } from './ledger/server-ledger.js';
import { watchClock } from './operation/clock-watch.js';
import { joinNodes, type Nodes } from './nodes.js';
import { createRequestIds } from './request-id/request-ids.js';
import { followSigningKeys } from './request-id/signing-key-file.js';
import { verifyingWindowMs } from './request-id/stored-signing-keys.js';
import { lockDataDirectory, type ServerLock } from './stores/server-lock.js';
import type { SharedStore } from './stores/shared-store.js';
import { auditedTakedowns, takedownChanges } from './takedown/changes.js';
import { takedownStore, type TakedownFile } from './takedown/takedown-file.js';

/** The data that the service keeps below `DATA_DIR`. */
export interface Stores {
  /** The nodes that share this data; null: this server is alone. */
  readonly nodes: Nodes | null;
  readonly admin: AdminToken;
  /** Checks access tokens, including the administration token. */
  readonly access: Access;
  readonly requestIds: RequestIds;
  /** Checks presented keys, including the demo's. */
  readonly keys: Keys;
  /** The demo's test key, made for this run only, or shared by all nodes; null: no demo. */
  readonly demoKey: string | null;
  readonly keyFile: SharedStore<KeyFile>;
  readonly campaignFile: SharedStore<CampaignFile>;
  readonly takedownFile: SharedStore<TakedownFile>;
  readonly billingFile: SharedStore<BillingFile>;
  readonly ledger: ServerLedger;
  /** Events that wait on disk for the ledger. */
  readonly eventSpool: EventSpool;
  close(): Promise<void>;
}

export interface OpenStoresOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

const DEMO = { publisher: 'Demo', test: true, origins: [], requestsPerMinute: null, expiresAt: null };

/** A server that was told to end has exited after this time. */
const WAIT_MS = 10_000;

/**
 * Opens the first group of parts for `serve`: secrets, publisher keys, campaign settings and the ledger. Creates those
 * that do not exist.
 */
export async function openStores(options: OpenStoresOptions): Promise<Stores> {
  const { dataDir } = options.config;
  makeDataDirectory(dataDir);
  warnOfOpenDirectory(dataDir, options.log);
  logOutOfReach(dataDir, options.log);
  const lock = await lockDataDirectory({
    dataDir,
    waitMs: WAIT_MS,
    onWait: () => options.log.warn({ dataDir }, 'another server runs on this DATA_DIR; waiting for its end'),
  });
  try {
    return await openLocked(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Warns about a DATA_DIR that others may read. Leaves its mode as it is: an earlier release or the operator set it. */
function warnOfOpenDirectory(dataDir: string, log: Logger): void {
  if (process.platform === 'win32' || (statSync(dataDir).mode & 0o077) === 0) return;
  log.warn({ dataDir }, 'other users of this machine may read DATA_DIR; run: chmod -R go= on it');
}

/** Logs files that this user cannot use. Not all of them keep the server from starting: some fail only when needed. */
function logOutOfReach(dataDir: string, log: Logger): void {
  const files = findOutOfReach(dataDir);
  if (files.length === 0) return;
  log.error(
    { dataDir, files },
    'this user may not read and write all of DATA_DIR; give it to the service’s user: chown -R',
  );
}

async function openLocked({ config, log, clock }: OpenStoresOptions, lock: ServerLock): Promise<Stores> {
  const { dataDir, currency, timeZone, keepEventsDays } = config;
  const nodes = await joinNodes(config, log);
  const cluster = nodes?.cluster ?? null;
  const admin = await adminToken({ dataDir, cluster }, config.adminToken);
  const signingKeys = await followSigningKeys({
    dataDir,
    cluster,
    given: config.signingKeys,
    installation: config.installation,
    windowMs: verifyingWindowMs(config),
    clock,
    log,
  });
  const demo = config.demo ? await demoKey(cluster, clock()) : null;
  const keyFile = keyStore(dataDir, cluster);
  const keys = await openKeys({ store: keyFile, inMemory: demo ? [demo.stored] : [], clock, log });
  const accessFile = accessStore(dataDir, cluster);
  const access = await openAccess({ store: accessFile, adminToken: admin.token, clock, log });
  const campaignFile = campaignStore(dataDir, cluster);
  const takedownFile = takedownStore(dataDir, cluster);
  const billingFile = billingStore(dataDir, cluster);
  // Nobody should edit a node's copies by hand; edits to them are overwritten.
  const edits =
    cluster === null
      ? [
          await followEdits({ dataDir, store: keyFile, describe: keyChanges, log, clock }),
          await followEdits({
            dataDir,
            store: accessFile,
            describe: accessChanges,
            auditedPart: auditedAccess,
            log,
            clock,
          }),
          await followEdits({ dataDir, store: campaignFile, describe: campaignEdits, log, clock }),
          await followEdits({
            dataDir,
            store: billingFile,
            describe: billingChanges,
            // No ad needs them.
            fault: 'billing details are gone or cannot be read',
            log,
            clock,
          }),
          await followEdits({
            dataDir,
            store: takedownFile,
            describe: takedownChanges,
            auditedPart: auditedTakedowns,
            log,
            clock,
          }),
        ]
      : [];
  const database = ledgerLocation(config);
  const ledger = await createLedger({ database, currency, timeZone, keepEventsDays, clock, log });
  const watch = watchClock({ ledger, clock, log });
  const eventSpool = await openEventSpool({ file: join(dataDir, SPOOL_FILE), log, now: () => ledger.now() });
  return {
    nodes,
    admin,
    access,
    requestIds: createRequestIds(signingKeys),
    keys,
    demoKey: demo?.key ?? null,
    keyFile,
    campaignFile,
    takedownFile,
    billingFile,
    ledger,
    eventSpool,
    async close() {
      try {
        await settleAll([
          keys.close(),
          access.close(),
          signingKeys.close(),
          watch.close(),
          ledger.close(),
          ...edits.map((each) => each.close()),
        ]);
      } finally {
        // Events that the ledger could not store before closing wait in the spool for the next start.
        await eventSpool.close();
        await nodes?.close();
        lock.release();
      }
    },
  };
}

/** Returns the demo key. All nodes share one, since a page served by one node may send requests to another. */
async function demoKey(cluster: Cluster | null, now: number): Promise<CreatedKey> {
  if (cluster === null) return buildKey(DEMO, now);
  const { text } = await getOrCreateDocument(cluster, 'demo-key.json', () => JSON.stringify(buildKey(DEMO, now)));
  return JSON.parse(text) as CreatedKey;
}

function campaignEdits(before: CampaignFile, after: CampaignFile) {
  return campaignChanges(before, after, []);
}
