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
import { testCreative, publishTestSnapshot } from '../../support/test-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { countTurns } from '../../support/event-loop-turns.js';

const by = { via: 'dashboard', session: '12345678', address: '::1' } as const;
const owners = ['Green', 'Blue', null];

describe('a publication in the audit log', () => {
  let dataDir: string;
  beforeEach(() => void (dataDir = temporaryDirectory()));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const publish = (budgetMicros: number) => {
    const rows = owners.map((advertiser) =>
      testCreative(advertiser ?? 'none', { campaign: 'Spring', advertiser, budgetMicros }),
    );
    return publishTestSnapshot(dataDir, [...rows, testCreative('rake', { advertiser: 'Green', budgetMicros })]);
  };
  const names = async (name?: string, kind: Subject['kind'] = 'campaign') =>
    (await readAudit(dataDir, { kind, name })).entries.map(({ subject }) => subject.name);

  it('names campaigns with their advertisers, like commands that change campaigns', async () => {
    const [before, after] = [await publish(5), await publish(7)];
    await recordPublication({ dataDir }, { by, action: 'index', now: 0, before, after });
    expect(await names()).to.have.members(['Spring (Green)', 'Spring (Blue)', 'Spring']);
    expect(await names(undefined, 'creative')).to.deep.equal(['rake']);

    const audited = { dataDir, by, action: 'campaigns set', now: 1 };
    await changeCampaigns(campaignStore(dataDir), audited, (file) =>
      setCampaign(file, { name: 'Spring', feedAdvertiser: 'Green' }, { budgetMicros: 9 }),
    );
    expect(await names('Spring (Green)')).to.deep.equal(['Spring (Green)', 'Spring (Green)']);
    expect(await names('Spring')).to.have.length(4);
  });

  it('counts a damaged earlier snapshot as empty, and reports one that cannot be read just now', async () => {
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
    // Unreadable even for root.
    mkdirSync(file);
    const { notKnown, ...fields } = await recorded();
    expect(fields).to.deep.equal({ live, creatives: { old: null, new: 4 }, changedTerms: { old: null, new: null } });
    expect(notKnown?.new).to.include('creatives.jsonl cannot be read (EISDIR)');
  });

  it('compares the terms of large catalogues in turns, and lists a thousand changes at most', async () => {
    const catalogue = (budgetMicros: number) =>
      Array.from({ length: 40_000 }, (_, at) => testCreative(`c${at}`, { budgetMicros: at < 1500 ? budgetMicros : 0 }));
    const known = new Map([
      ['one', catalogue(5)],
      ['two', catalogue(7)],
    ]);
    const { turns } = await countTurns(() =>
      recordPublication({ dataDir }, { by, action: 'rollback', now: 0, before: 'one', after: 'two', known }),
    );
    // Three walks of 20 turns each; writing the log takes a few.
    expect(turns).to.be.at.least(60);
    expect((await readAudit(dataDir, { kind: 'snapshot' })).entries[0]!.fields).to.deep.include({
      creatives: { old: 40_000, new: 40_000 },
      changedTerms: { old: null, new: 1500 },
    });
    expect(await names(undefined, 'creative')).to.have.length(1000);
  });

  it('is recorded as failed, with the reason, when it fails', async () => {
    // The snapshot made last is live.
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

  it('is not recorded as failed when the snapshot is live and only a later step failed', async () => {
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
