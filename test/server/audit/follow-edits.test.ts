import { expect } from 'chai';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandActor } from '../../../models/audit/actor.js';
import { AUDIT_FILE } from '../../../models/audit/audit-log.js';
import { readAudit } from '../../../models/audit/read-audit.js';
import { changeTexts } from '../../../server/audit/entry-text.js';
import { followEdits } from '../../../server/audit/follow-edits.js';
import { type CampaignFile, campaignStore } from '../../../server/campaigns/terms/campaign-file.js';
import { campaignChanges, changeCampaigns } from '../../../server/campaigns/terms/change-campaigns.js';
import { setCampaign } from '../../../server/campaigns/terms/set-terms.js';
import { DamagedStoreError } from '../../../server/stores/shared-store.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const now = Date.UTC(2026, 10, 21, 12);

describe('an edit of a store’s file by hand', () => {
  let dataDir: string;
  let following: { close(): Promise<void> };
  beforeEach(async () => {
    dataDir = join(temporaryDirectory(), 'data');
    mkdirSync(dataDir);
    following = await follow();
  });
  afterEach(() => following.close());

  /** The budget that the follower read last. */
  let seen: number | null | undefined;
  const follow = () => {
    const store = campaignStore(dataDir);
    const read = async () => {
      const file = await store.read();
      seen = file.campaigns[0]?.budgetMicros;
      return file;
    };
    return followEdits({
      dataDir,
      store: { path: store.path, stamp: () => store.stamp(), read },
      describe: (before, after) => campaignChanges(before, after, []),
      log: { error: (details) => expect.fail(JSON.stringify(details)) },
      clock: () => now,
      pollMs: 10,
    });
  };
  const edit = (budgetMicros: number, space = 0) => {
    const campaigns = [{ name: 'Spring', budgetMicros }];
    writeFileSync(campaignStore(dataDir).path, JSON.stringify({ version: 1, campaigns }, null, space));
  };
  const command = (budgetMicros: number) => {
    const audited = { dataDir, by: commandActor({}), action: 'campaigns set', now };
    return changeCampaigns(campaignStore(dataDir), audited, (file) =>
      setCampaign(file, { name: 'Spring' }, { budgetMicros }),
    );
  };
  const recorded = async () =>
    (await readAudit(dataDir)).entries.map((entry) => [entry.by.via, ...changeTexts(entry)]).toReversed();
  const recordedAre = (...expected: string[][]) =>
    eventually(async () => expect(await recorded()).to.deep.equal(expected));

  it('is recorded with the old and new value, and the changes of commands are not recorded twice', async () => {
    await command(1_000_000);
    edit(2_000_000);
    await eventually(async () => expect((await recorded()).at(-1)!.join(' ')).to.match(/^file .* → 2\.00$/));
    await command(3_000_000);
    await following.close();
    const all = await recorded();
    expect(all.map(([via]) => via)).to.deep.equal(['command', 'file', 'command']);
    expect(all[2]).to.deep.equal(['command', 'budgetMicros: 2.00 → 3.00']);
  });

  it('is recorded when it restores an earlier value, and not when it only changes the formatting', async () => {
    edit(1_000_000);
    await recordedAre(['file', 'budgetMicros: none → 1.00']);
    edit(1_000_000, 2);
    edit(2_000_000);
    await recordedAre(['file', 'budgetMicros: none → 1.00'], ['file', 'budgetMicros: 1.00 → 2.00']);
    edit(1_000_000);
    await eventually(async () => expect(await recorded()).to.have.length(3));
    expect((await recorded())[2]).to.deep.equal(['file', 'budgetMicros: 2.00 → 1.00']);
  });

  it('is recorded however long the log is, since only what was added is read', async () => {
    await following.close();
    writeFileSync(join(dataDir, AUDIT_FILE), '');
    truncateSync(join(dataDir, AUDIT_FILE), 2 ** 30);
    following = await follow();
    await command(1_000_000);
    edit(2_000_000);
    const latest = async (entries: number) =>
      (await readAudit(dataDir, {}, { entries })).entries.map(({ by }) => by.via).toReversed();
    await eventually(async () => expect(await latest(1)).to.deep.equal(['file']));
    await command(3_000_000);
    await following.close();
    expect(await latest(3)).to.deep.equal(['command', 'file', 'command']);
  });

  it('is recorded, and the changes of commands are not, after the log was replaced by a shorter one', async () => {
    await command(1_000_000);
    for (const [place, micros] of [2_000_000, 3_000_000].entries()) {
      edit(micros);
      await eventually(async () => expect(await recorded()).to.have.length(place + 2));
    }
    writeFileSync(join(dataDir, AUDIT_FILE), '');
    await command(4_000_000);
    // Otherwise the follower sees the command's change and the edit as one change, like two edits between two polls.
    await eventually(() => expect(seen).to.equal(4_000_000));
    edit(5_000_000);
    await recordedAre(['command', 'budgetMicros: 3.00 → 4.00'], ['file', 'budgetMicros: 4.00 → 5.00']);
  });
});

describe('a store’s file that is damaged at the start', () => {
  it('is logged once, and its edits are recorded from its repair on', async () => {
    const dataDir = temporaryDirectory();
    const store = campaignStore(dataDir);
    const write = (budgetMicros: number) =>
      writeFileSync(store.path, JSON.stringify({ version: 1, campaigns: [{ name: 'Spring', budgetMicros }] }));
    writeFileSync(store.path, '{');
    const logged: string[] = [];
    let reads = 0;
    let seen: number | null | undefined;
    const read = async () => {
      reads += 1;
      const file = await store.read();
      seen = file.campaigns[0]?.budgetMicros;
      return file;
    };
    const options = {
      dataDir,
      store: { path: store.path, stamp: () => store.stamp(), read },
      describe: (before: CampaignFile, after: CampaignFile) => campaignChanges(before, after, []),
      log: { error: (_: object, message: string) => void logged.push(message) },
      clock: () => now,
      pollMs: 10,
    };
    expect(await followEdits(options).catch((error: unknown) => error)).to.be.instanceOf(DamagedStoreError);
    const following = await followEdits({ ...options, fault: 'unreadable' });
    try {
      await eventually(() => expect(reads).to.be.above(3));
      expect(logged).to.deep.equal(['unreadable']);
      write(1_000_000);
      await eventually(() => expect(seen).to.equal(1_000_000));
      write(2_000_000);
      await eventually(async () => expect((await readAudit(dataDir)).entries).to.have.length(1));
      expect((await readAudit(dataDir)).entries.flatMap((entry) => changeTexts(entry))).to.deep.equal([
        'budgetMicros: 1.00 → 2.00',
      ]);
      writeFileSync(store.path, '{');
      await eventually(() => expect(logged).to.deep.equal(['unreadable', 'unreadable']));
    } finally {
      await following.close();
    }
  });
});
