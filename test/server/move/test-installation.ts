import Sqlite from 'better-sqlite3';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeOutdated } from '../../../models/snapshot/retention.js';
import { accessStore } from '../../../server/access/access-file.js';
import { createToken } from '../../../server/access/access-operations.js';
import { changeAccess } from '../../../server/access/change-access.js';
import { adminToken } from '../../../server/admin/session/admin-token.js';
import type { AuditedAction } from '../../../server/audit/change-audited.js';
import { campaignStore } from '../../../server/campaigns/terms/campaign-file.js';
import { changeCampaigns } from '../../../server/campaigns/terms/change-campaigns.js';
import { billingStore } from '../../../server/invoice/billing/billing-file.js';
import { changeBilling } from '../../../server/invoice/billing/change-billing.js';
import { setSeller } from '../../../server/invoice/billing/set-billing.js';
import { closeMonth } from '../../../server/invoice/close-month.js';
import { changeKeys } from '../../../server/keys/change-keys.js';
import { createKey } from '../../../server/keys/key-operations.js';
import { keyStore } from '../../../server/keys/key-file.js';
import { voidEvents } from '../../../server/ledger/corrections/void-events.js';
import { LEDGER_FILE, openForWriting } from '../../../server/ledger/database.js';
import { createLedger } from '../../../server/ledger/server-ledger.js';
import { writeClockMark } from '../../../server/ledger/tables/accounting-basis.js';
import { openSigningKeys } from '../../../server/request-id/signing-key-file.js';
import { takeDown } from '../../../server/takedown/changes.js';
import { testClaims, testDigest } from '../../support/test-claims.js';
import { testCreative, publishTestSnapshot } from '../../support/test-snapshot.js';
import { PNG } from '../../support/png.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

export const installation = { currency: 'USD', timeZone: 'UTC' };
export const by = { via: 'command', user: 'anna', host: 'one' } as const;
const OCTOBER = Date.UTC(2024, 9, 5);
const NOW = Date.UTC(2024, 10, 20);
const names = { publisher: 'Garden Chat', test: false } as const;

/** Makes a DATA_DIR with content in every document, log and table, and with two snapshots. */
export async function testInstallation(): Promise<string> {
  const dataDir = join(temporaryDirectory(), 'data');
  mkdirSync(dataDir);
  await publishCatalogue(dataDir);
  await writeSettings(dataDir);
  await fillLedger(dataDir);
  return dataDir;
}

async function publishCatalogue(dataDir: string): Promise<void> {
  const image = `${createHash('sha256').update(PNG).digest('hex')}.png`;
  mkdirSync(join(dataDir, 'images'));
  writeFileSync(join(dataDir, 'images', image), PNG);
  await publishTestSnapshot(dataDir, [
    testCreative('mower-1', { imageFile: image, campaign: 'Spring', advertiser: 'Green' }),
  ]);
  await publishTestSnapshot(dataDir, [
    testCreative('mower-1', { campaign: 'Spring', advertiser: 'Green' }),
    testCreative('rake'),
  ]);
  await removeOutdated(dataDir, NOW);
}

async function writeSettings(dataDir: string): Promise<void> {
  const audited = (action: string): AuditedAction => ({ dataDir, by, action, now: NOW });
  const key = { ...names, origins: [], requestsPerMinute: null, expiresAt: null };
  await changeKeys(keyStore(dataDir), audited('keys create'), (file) => createKey(file, key, NOW));
  await changeAccess(
    accessStore(dataDir),
    audited('access create'),
    (file) => void createToken(file, { name: 'Anna', role: 'viewer', expiresAt: null }, NOW),
  );
  await changeCampaigns(
    campaignStore(dataDir),
    audited('campaigns set'),
    ({ campaigns }) => void campaigns.push({ name: 'Spring', budgetMicros: 900_000 }),
  );
  await changeBilling(
    billingStore(dataDir),
    audited('billing seller'),
    (file) => void setSeller(file, { name: 'Nordlicht', address: ['Hafenstr. 1'] }),
  );
  await takeDown(audited('creatives block'), 'mower-1', 'no licence');
  await openSigningKeys(dataDir, NOW, 30 * 86_400_000);
  await adminToken({ dataDir }, null);
  writeFileSync(join(dataDir, 'decision.json'), '{"floor":0.5}\n');
}

async function fillLedger(dataDir: string): Promise<void> {
  const database = { file: join(dataDir, LEDGER_FILE) };
  const ledger = await createLedger({ database, ...installation, clock: () => NOW });
  const claims = testClaims({ pricing: { model: 'cpc', micros: 250_000 } });
  for (let number = 0; number < 3; number++) {
    await ledger.record({ kind: 'click', id: testDigest(number), claims, at: OCTOBER + number });
  }
  await ledger.record({ kind: 'impression', id: testDigest(3), claims: { ...claims, test: true }, at: OCTOBER });
  await ledger.record({
    kind: 'view',
    id: testDigest(4),
    claims: { ...claims, advertiser: null, campaign: null },
    at: NOW,
  });
  ledger.ignore({ kind: 'click', reason: 'crawler', claims, at: NOW });
  ledger.countDecision({ ...names, result: { filled: false, reason: 'below-floor' }, language: 'en', at: NOW });
  ledger.countDecision({ ...names, result: { filled: true, creative: 'ø', campaign: null, advertiser: '"' }, at: NOW });
  await ledger.close();
  const file = openForWriting(database, 1000);
  writeClockMark(file, NOW);
  closeMonth(file, 'Green', 202410, installation, NOW);
  voidEvents(file, {
    rule: { ids: [testDigest(1)] },
    reason: 'Clicks by a script',
    timeZone: 'UTC',
    now: NOW,
  });
  file.close();
}

/** Returns every file of a DATA_DIR as its bytes, without locks and traces of moves, and the ledger as its rows. */
export function contentOf(dataDir: string): Readonly<Record<string, unknown>> {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(ledger\.sqlite.*|.*\.lock|move-id|audit\.jsonl)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return {
    files: Object.fromEntries(
      files.toSorted().map((file) => [file.slice(dataDir.length), readFileSync(file).toString('base64')]),
    ),
    ledger: ledgerOf(dataDir),
  };
}

/** Reads the ledger's rows directly with SQLite. */
function ledgerOf(dataDir: string): unknown {
  const database = new Sqlite(join(dataDir, LEDGER_FILE), { readonly: true });
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table' order by name").pluck().all();
    return tables.map((table) => [table, database.prepare(`select * from ${String(table)} `).all()]);
  } finally {
    database.close();
  }
}
