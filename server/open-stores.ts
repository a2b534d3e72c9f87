import { join } from 'node:path';
import type { Logger } from 'pino';
import { makeDirectory } from '../models/files/data-directory.js';
import { adminToken, type AdminToken } from './admin/session/admin-token.js';
import { campaignStore, type CampaignFile } from './campaigns/campaign-file.js';
import type { Config } from './config/config.js';
import type { RequestIds } from './domain/claims.js';
import type { Keys } from './domain/publisher.js';
import { makeKey } from './keys/changes.js';
import { keyStore, type KeyFile } from './keys/key-file.js';
import { openKeys } from './keys/verify-key.js';
import { LEDGER_FILE } from './ledger/database.js';
import { createLedger, type EmbeddedLedger } from './ledger/embedded-ledger.js';
import { watchClock } from './operation/clock-watch.js';
import { createRequestIds } from './request-id/request-ids.js';
import { openSigningKeys } from './request-id/signing-key-file.js';
import type { SharedStore } from './stores/shared-store.js';

/** What the service keeps below `DATA_DIR`. */
export interface Stores {
  readonly admin: AdminToken;
  readonly requestIds: RequestIds;
  /** Checks presented keys, the demo's among them. */
  readonly keys: Keys;
  /** The demo's test key, made for this run only; null: no demo. */
  readonly demoKey: string | null;
  readonly keyFile: SharedStore<KeyFile>;
  readonly campaignFile: SharedStore<CampaignFile>;
  readonly ledger: EmbeddedLedger;
  close(): Promise<void>;
}

export interface OpenStoresOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

const DEMO = { publisher: 'Demo', test: true, origins: [], requestsPerMinute: null, expiresAt: null };

/** The first step of `serve`: secrets, publishers' keys, campaigns' settings and the ledger, made where there are none. */
export async function openStores({ config, log, clock }: OpenStoresOptions): Promise<Stores> {
  const { dataDir, currency, timeZone, keepEventsDays } = config;
  makeDirectory(dataDir);
  const admin = await adminToken(dataDir, config.adminToken);
  const signingKeys = config.signingKeys ?? (await openSigningKeys(dataDir, clock(), config.clickWindowMs));
  const demo = config.demo ? makeKey(DEMO, clock()) : null;
  const keyFile = keyStore(dataDir);
  const keys = await openKeys({ store: keyFile, inMemory: demo ? [demo.stored] : [], clock, log });
  const ledger = await createLedger({ file: join(dataDir, LEDGER_FILE), currency, timeZone, keepEventsDays, clock });
  const watch = watchClock({ ledger, clock, log });
  return {
    admin,
    requestIds: createRequestIds(signingKeys),
    keys,
    demoKey: demo?.key ?? null,
    keyFile,
    campaignFile: campaignStore(dataDir),
    ledger,
    async close() {
      await Promise.all([keys.close(), watch.close(), ledger.close()]);
    },
  };
}
