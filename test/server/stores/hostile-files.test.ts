import { expect } from 'chai';
import fc from 'fast-check';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { accessStore } from '../../../server/access/access-file.js';
import { createToken } from '../../../server/access/access-operations.js';
import { setCampaign } from '../../../server/campaigns/terms/set-terms.js';
import { campaignStore } from '../../../server/campaigns/terms/campaign-file.js';
import { billingStore } from '../../../server/invoice/billing/billing-file.js';
import { setBuyer, setSeller } from '../../../server/invoice/billing/set-billing.js';
import { SigningKeysError } from '../../../server/domain/signing-key.js';
import { createKey } from '../../../server/keys/key-operations.js';
import { keyStore } from '../../../server/keys/key-file.js';
import { createKeyVerifier } from '../../../server/keys/verify-key.js';
import { openSigningKeys } from '../../../server/request-id/signing-key-file.js';
import { DamagedStoreError } from '../../../server/stores/shared-store.js';
import { altered, anyJson, damaged } from '../../support/hostile-values.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Files that an operator edits, and that a crash or a disk may damage. */
describe('stored JSON with arbitrary content', () => {
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));
  const DAY = 86_400_000;

  const stores: readonly [file: string, write: () => Promise<unknown>, read: () => Promise<unknown>][] = [
    [
      'keys.json',
      () => {
        const wishes = { publisher: 'Chat', test: false, origins: [], expiresAt: null, requestsPerMinute: 60 };
        return keyStore(folder).change((file) => createKey(file, wishes, 0));
      },
      async () => createKeyVerifier(await keyStore(folder).read())('pub_x', undefined, 0),
    ],
    [
      'campaigns.json',
      () => campaignStore(folder).change((file) => setCampaign(file, { name: 'Spring' }, { paused: true })),
      () => campaignStore(folder).read(),
    ],
    [
      'access-tokens.json',
      () => accessStore(folder).change((file) => createToken(file, { name: 'Anna', role: 'viewer', expiresAt: 1 }, 0)),
      () => accessStore(folder).read(),
    ],
    [
      'billing.json',
      () =>
        billingStore(folder).change((file) => {
          setSeller(file, { name: 'Nordlicht', address: ['Hafenstr. 1'], taxRate: '19', dueDays: 14 });
          if (file.buyers.length === 0) setBuyer(file, 'Acme', { address: ['1 High Street'], note: ['x'] });
        }),
      () => billingStore(folder).read(),
    ],
    ['signing-keys.json', () => openSigningKeys(folder, 0, DAY), () => openSigningKeys(folder, 0, DAY)],
  ];

  for (const [name, write, read] of stores) {
    const file = path.join(folder, name);
    it(`is either refused as damaged or read: ${name}`, async () => {
      await write();
      const good = readFileSync(file);
      const any = fc.oneof(
        damaged(good),
        anyJson.map((value) => Buffer.from(JSON.stringify(value))),
        altered(JSON.parse(good.toString()) as object).map((value) => Buffer.from(JSON.stringify(value))),
      );
      await fc.assert(
        fc.asyncProperty(any, async (bytes) => {
          writeFileSync(file, bytes);
          try {
            await read();
          } catch (error) {
            expect(error).to.satisfy((e: unknown) => e instanceof DamagedStoreError || e instanceof SigningKeysError);
            expect((error as Error).message).to.include(name);
            expect(readFileSync(file).equals(bytes)).to.equal(true);
          }
        }),
        { numRuns: 250 },
      );
    });

    for (const nothing of ['null', 'false', '0', '""', '', '[]', '{}']) {
      it(`is damaged, not empty, when it holds ${nothing || 'nothing'}: ${name}`, async () => {
        writeFileSync(file, nothing);
        const outcome = await read().catch((error: unknown) => error);
        expect(outcome).to.be.instanceOf(name === 'signing-keys.json' ? SigningKeysError : DamagedStoreError);
        expect(readFileSync(file, 'utf8')).to.equal(nothing);
      });
    }
  }
});
