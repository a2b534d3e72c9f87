import { expect } from 'chai';
import { mkdirSync, rmSync, truncateSync } from 'node:fs';
import path from 'node:path';
import type { Subject } from '../../../models/audit/audit-log.js';
import { readAudit } from '../../../models/audit/read-audit.js';
import { publishAudited, recordPublication } from '../../../models/audit/publication.js';
import { publish as makeLive } from '../../../models/snapshot/publish.js';
import { changeCampaigns } from '../../../server/campaigns/terms/change-campaigns.js';
import { campaignStore } from '../../../server/campaigns/terms/campaign-file.js';
import { setCampaign } from '../../../server/campaigns/terms/set-terms.js';
import { madeCreative, madeSnapshot } from '../../support/made-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const by = { via: 'dashboard', session: '12345678', address: '::1' } as const;
const owners = ['Green', 'Blue', null];

describe('a publication in the audit log', () => {
  let dataDir: string;
  beforeEach(() => void (dataDir = temporaryDirectory()));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const publish = (budgetMicros: number) => {
    const rows = owners.map((advertiser) =>
      madeCreative(advertiser ?? 'none', { campaign: 'Spring', advertiser, budgetMicros }),
    );
    return madeSnapshot(dataDir, [...rows, madeCreative('rake', { advertiser: 'Green', budgetMicros })]);
  };
  const names = async (name?: string, kind: Subject['kind'] = 'campaign') =>
    (await readAudit(dataDir, { kind, name })).entries.map(({ subject }) => subject.name);

  it('names campaigns with their advertisers, as a command that changes one does', async () => {
    const [before, after] = [await publish(5), await publish(7)];
    await recordPublication({ dataDir }, { by, action: 'index', now: 0, before, after });
    expect(await names()).to.have.members(['Spring (Green)', 'Spring (Blue)', 'Spring']);
    expect(await names(undefined, 'creative')).to.deep.equal(['rake']);

    const audited = { dataDir, by, action: 'campaigns set', now: 1 };
    await changeCampaigns(campaignStore(dataDir), audited, (file) =>
      setCampaign(file, { name: 'Spring', of: 'Green' }, { budgetMicros: 9 }),
    );
    expect(await names('Spring (Green)')).to.deep.equal(['Spring (Green)', 'Spring (Green)']);
    expect(await names('Spring')).to.have.length(4);
  });

  it('of which the snapshot before is damaged counts it as empty; where it cannot be read just now, it says so', async () => {
    const [before, after] = [await publish(5), await publish(7)];
    const file = path.join(dataDir, 'snapshots', before, 'creatives.jsonl');
    const recorded = async () => {
      await recordPublication({ dataDir }, { by, action: 'index', now: 0, before, after });
      return (await readAudit(dataDir, { kind: 'snapshot' })).entries[0]!.fields;
    };
    truncateSync(file, 10);
    const live = { old: before, new: after };
    expect(await recorded()).to.deep.equal({
      live,
      creatives: { old: 0, new: 4 },
      changedTerms: { old: null, new: 0 },
    });
    rmSync(file);
    // Readable by nobody, root included.
    mkdirSync(file);
    const { notKnown, ...fields } = await recorded();
    expect(fields).to.deep.equal({ live, creatives: { old: null, new: 4 }, changedTerms: { old: null, new: null } });
    expect(notKnown?.new).to.include('creatives.jsonl cannot be read (EISDIR)');
  });

  it('that fails is recorded as failed, with the reason', async () => {
    // The one made last is live.
    const [after, before] = [await publish(7), await publish(5)];
    const publication = { by, action: 'index', now: 0, before, after } as const;
    const failed = await publishAudited({ dataDir }, publication, () =>
      Promise.reject(new Error('no space left')),
    ).catch(String);
    expect(failed).to.equal('Error: no space left');
    const { entries } = await readAudit(dataDir, { kind: 'snapshot' });
    expect(entries.map((entry) => entry.failed)).to.have.members(['no space left', undefined]);
    expect(await publishAudited({ dataDir }, publication, async () => 'published')).to.equal('published');
  });

  it('that is live although something behind it failed is not recorded as failed', async () => {
    const [before, after] = [await publish(5), await publish(7)];
    const failed = await publishAudited({ dataDir }, { by, action: 'index', now: 0, before, after }, async () => {
      await makeLive(dataDir, after);
      throw new Error('not noted');
    }).catch(String);
    expect(failed).to.equal('Error: not noted');
    const { entries } = await readAudit(dataDir, { kind: 'snapshot' });
    expect(entries.map((entry) => entry.failed)).to.deep.equal([undefined]);
  });
});
