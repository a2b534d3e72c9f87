import { expect } from 'chai';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readAudit } from '../../../../models/audit/read-audit.js';
import { campaignStore } from '../../../../server/campaigns/terms/campaign-file.js';
import { changeCampaigns } from '../../../../server/campaigns/terms/change-campaigns.js';
import { setCampaign } from '../../../../server/campaigns/terms/set-terms.js';
import { testCreative, publishTestSnapshot } from '../../../support/test-snapshot.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

describe('a campaign change while the feed is unreadable', () => {
  const dataDir = temporaryDirectory();
  after(() => rmSync(dataDir, { recursive: true }));

  it('is made and audited, with a warning that the feed’s terms are missing', async () => {
    const id = await publishTestSnapshot(dataDir, [testCreative('mower', { campaign: 'Spring', budgetMicros: 7 })]);
    const file = path.join(dataDir, 'snapshots', id, 'creatives.jsonl');
    rmSync(file);
    // Unreadable even for root.
    mkdirSync(file);
    const warned = once(process, 'warning') as Promise<[Error]>;
    const by = { via: 'dashboard', session: '12345678', address: '::1' } as const;
    await changeCampaigns(campaignStore(dataDir), { dataDir, by, action: 'campaigns set', now: 0 }, (campaigns) =>
      setCampaign(campaigns, { name: 'Spring' }, { budgetMicros: 9 }),
    );
    expect((await warned)[0].message).to.match(/audit log does not name the feed's terms.*creatives\.jsonl/);
    const { entries } = await readAudit(dataDir);
    expect(entries.map(({ fields }) => fields)).to.deep.equal([{ budgetMicros: { old: null, new: 9 } }]);
  });
});
