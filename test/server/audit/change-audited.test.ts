import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_FILE } from '../../../models/audit/audit-log.js';
import { readAudit } from '../../../models/audit/read-audit.js';
import { changeTexts } from '../../../server/audit/entry-text.js';
import { campaignStore } from '../../../server/campaigns/terms/campaign-file.js';
import { changeCampaigns } from '../../../server/campaigns/terms/change-campaigns.js';
import { setCampaign, unsetCampaign, type CampaignChange } from '../../../server/campaigns/terms/set-terms.js';
import { changeKeys } from '../../../server/keys/change-keys.js';
import { createKey, deactivateKey, rotateKey, setPublisher } from '../../../server/keys/key-operations.js';
import { keyStore } from '../../../server/keys/key-file.js';
import { testCreative, publishTestSnapshot } from '../../support/test-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const now = Date.UTC(2026, 10, 21, 12);
const by = { via: 'dashboard', session: '12345678', address: '::1' } as const;

describe('an audited change', () => {
  let dataDir: string;
  beforeEach(() => void (dataDir = join(temporaryDirectory(), 'data')));

  const audited = (action: string) => ({ dataDir, by, action, now });
  const set = (change: CampaignChange, action = 'campaigns set') =>
    changeCampaigns(campaignStore(dataDir), audited(action), (file) => setCampaign(file, { name: 'Spring' }, change));
  const texts = async () =>
    (await readAudit(dataDir)).entries.map((entry) => [entry.subject.name, ...changeTexts(entry)]);

  it('is recorded with the old and new price and budget, the feed’s if nothing was set over it', async () => {
    mkdirSync(dataDir);
    const pricing = { model: 'cpm', micros: 2_500_000 } as const;
    await publishTestSnapshot(dataDir, [testCreative('a', { campaign: 'Spring', pricing, budgetMicros: 9_000_000 })]);
    await set({ pricing: { model: 'cpm', micros: 3_000_000 } });
    await set({ pricing: { model: 'cpc', micros: 450_000 }, budgetMicros: null });
    await set({ paused: true }, 'campaigns pause');
    await set({ paused: true }, 'campaigns pause');
    await changeCampaigns(campaignStore(dataDir), audited('campaigns unset'), (file) =>
      unsetCampaign(file, { name: 'Spring' }),
    );
    expect(await texts()).to.deep.equal([
      [
        'Spring',
        'pricing: cpc 0.45 → cpm 2.50 (feed)',
        'budgetMicros: none → 9.00 (feed)',
        'paused: true → false (feed)',
      ],
      ['Spring', 'paused: false (feed) → true'],
      ['Spring', 'pricing: cpm 3.00 → cpc 0.45', 'budgetMicros: 9.00 (feed) → none'],
      ['Spring', 'pricing: cpm 2.50 (feed) → cpm 3.00'],
    ]);
    const [, pause] = (await readAudit(dataDir)).entries;
    expect(pause).to.include({ at: '2026-11-21T12:00:00.000Z', action: 'campaigns pause' });
    expect(pause!.by).to.deep.equal(by);
  });

  it('is recorded with the ids of keys and names of publishers, and without keys or their digests', async () => {
    const store = keyStore(dataDir);
    const wishes = { publisher: 'Chat', test: false, origins: [], requestsPerMinute: 60, expiresAt: null };
    const made = await changeKeys(store, audited('keys create'), (file) => createKey(file, wishes, now));
    const { id } = made.stored;
    const next = await changeKeys(store, audited('keys rotate'), (file) => rotateKey(file, id, 0, now));
    await changeKeys(store, audited('keys deactivate'), (file) => deactivateKey(file, next.stored.id, now));
    await changeKeys(store, audited('keys set'), (file) => setPublisher(file, 'Chat', { floor: 0.7 }));
    const { entries } = await readAudit(dataDir);
    expect(entries.map(({ action, subject }) => [action, subject.kind, subject.name])).to.deep.equal([
      ['keys set', 'publisher', 'Chat'],
      ['keys deactivate', 'key', next.stored.id],
      ['keys rotate', 'key', next.stored.id],
      ['keys rotate', 'key', id],
      ['keys create', 'publisher', 'Chat'],
      ['keys create', 'key', id],
    ]);
    expect(entries[0]!.fields).to.deep.equal({ floor: { old: null, new: 0.7 } });
    expect(entries[3]!.fields).to.deep.equal({
      expiresAt: { old: null, new: '2026-11-21T12:00:00.000Z' },
      rotatedTo: { old: null, new: next.stored.id },
    });
    expect(entries[5]!.fields).to.deep.include({
      publisher: { old: null, new: 'Chat' },
      requestsPerMinute: { old: null, new: 60 },
    });
    expect((await texts())[5]).to.deep.equal([
      id,
      'publisher: none → Chat',
      'test: none → false',
      'requestsPerMinute: none → 60',
      'createdAt: none → 2026-11-21T12:00:00.000Z',
    ]);
    const log = readFileSync(join(dataDir, AUDIT_FILE), 'utf8');
    for (const secret of [made.key, next.key, made.stored.sha256]) expect(log).to.not.include(secret);
  });

  it('is told without fields that are empty before and after, but with a zero or a value of the feed', () => {
    const fields = {
      changedTerms: { old: null, new: 0 },
      origins: { old: [], new: null },
      creatives: { old: 5, new: 5 },
      floor: { old: null, new: 0 },
      blockedCategories: { old: ['Gambling'], new: [] },
      endsAt: { old: null, new: null, feed: 'old' },
    } as const;
    expect(changeTexts({ fields })).to.deep.equal([
      'floor: none → 0',
      'blockedCategories: ["Gambling"] → []',
      'endsAt: none (feed) → none',
    ]);
    expect(changeTexts({ fields: { changedTerms: { old: null, new: 2 } } })).to.deep.equal(['changedTerms: none → 2']);
  });

  it('is not made when it cannot be recorded', async () => {
    mkdirSync(join(dataDir, AUDIT_FILE), { recursive: true });
    const refused = await set({ paused: true }).catch((error: NodeJS.ErrnoException) => error.code);
    expect(refused).to.equal('EISDIR');
    expect(existsSync(campaignStore(dataDir).path)).to.equal(false);
  });

  it('is recorded with the reason if it fails, and not at all if it is refused beforehand', async () => {
    await set({ paused: true });
    const refused = await set({ startsAt: '2026-12-02', endsAt: '2026-12-01' }).catch((error: Error) => error.message);
    expect(refused).to.include('before it starts');
    expect((await readAudit(dataDir)).entries).to.have.length(1);
    const store = campaignStore(dataDir);
    const failing = await changeCampaigns(
      Object.assign(Object.create(store) as typeof store, {
        change: async (...args: Parameters<typeof store.change>) => {
          await store.change(...args);
          throw new Error('the disk is full');
        },
      }),
      audited('campaigns resume'),
      (file) => setCampaign(file, { name: 'Spring' }, { paused: false }),
    ).catch((error: Error) => error.message);
    expect(failing).to.equal('the disk is full');
    const [last, before] = (await readAudit(dataDir)).entries;
    expect(last).to.deep.equal({ ...before, failed: 'the disk is full' });
    expect(changeTexts(last!)).to.deep.equal(['paused: true → false', 'failed: the disk is full']);
  });
});
