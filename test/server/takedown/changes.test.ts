import { expect } from 'chai';
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readAudit } from '../../../models/audit/read-audit.js';
import { followEdits } from '../../../server/audit/follow-edits.js';
import { contentDigest } from '../../../server/audit/content-digest.js';
import {
  auditedTakedowns,
  ImagesNotTakenDownError,
  takeDown,
  takedownChanges,
} from '../../../server/takedown/changes.js';
import { type Takedown, takedownStore } from '../../../server/takedown/takedown-file.js';
import { eventually } from '../../support/eventually.js';
import { testCreative, publishTestSnapshot } from '../../support/test-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const by = { via: 'dashboard', session: '12345678', address: '::1' } as const;
const image = (letter: string): string => `${letter.repeat(64)}.png`;

describe('taking a creative down', () => {
  let dataDir: string;
  beforeEach(() => void (dataDir = temporaryDirectory()));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const block = () => takeDown({ dataDir, by, action: 'creatives block', now: 0 }, 'boots', 'no licence');
  const down = async () => (await takedownStore(dataDir).read()).creatives;
  const boots = (letter: string) => testCreative('boots', { imageFile: image(letter) });
  const recorded = async () => (await readAudit(dataDir, { kind: 'creative', name: 'boots' })).entries;
  const takenDown = {
    takenDownAt: { old: null, new: new Date(0).toISOString() },
    reason: { old: null, new: 'no licence' },
  };

  it('takes down its images in all kept snapshots, and names the live creatives that share one', async () => {
    await publishTestSnapshot(dataDir, [boots('a'), testCreative('gone', { imageFile: image('a') })]);
    await publishTestSnapshot(dataDir, [
      testCreative('rake', { imageFile: image('b') }),
      testCreative('seeds', { imageFile: image('a') }),
      testCreative('tea', { imageFile: image('c') }),
      boots('b'),
    ]);
    const { takedown, sharedWith } = await block();
    expect(takedown.images).to.have.members([image('a'), image('b')]);
    expect(sharedWith).to.deep.equal(['rake', 'seeds']);
    expect(await down()).to.deep.equal([takedown]);
  });

  it('is one entry in the audit log, whose digest still fits once images are noted, so that no edit is detected', async () => {
    await publishTestSnapshot(dataDir, [boots('a')]);
    await block();
    await block();
    const entries = await recorded();
    expect(entries.map(({ fields }) => fields)).to.deep.equal([takenDown]);
    const file = await takedownStore(dataDir).read();
    expect(file.creatives[0]!.images).to.deep.equal([image('a')]);
    expect(entries[0]!.content).to.equal(contentDigest(auditedTakedowns(file)));
  });

  it('is not recorded again as an edit by hand, whose follower sees takedown and images as one change', async () => {
    await publishTestSnapshot(dataDir, [boots('a')]);
    const store = takedownStore(dataDir);
    let seen: Takedown | undefined;
    const read = async () => {
      const file = await store.read();
      [seen] = file.creatives;
      return file;
    };
    const following = await followEdits({
      dataDir,
      store: { path: store.path, stamp: () => store.stamp(), read },
      describe: takedownChanges,
      auditedPart: auditedTakedowns,
      log: { error: (details) => expect.fail(JSON.stringify(details)) },
      clock: () => 0,
      pollMs: 500,
    });
    try {
      await block();
      await eventually(() => expect(seen?.images).to.deep.equal([image('a')]));
    } finally {
      await following.close();
    }
    expect((await recorded()).map((entry) => entry.by.via)).to.deep.equal(['dashboard']);
  });

  it('counts a damaged snapshot as having none of its images', async () => {
    const damaged = await publishTestSnapshot(dataDir, [boots('a')]);
    truncateSync(path.join(dataDir, 'snapshots', damaged, 'creatives.jsonl'), 10);
    await publishTestSnapshot(dataDir, [boots('b')]);
    expect((await block()).takedown.images).to.deep.equal([image('b')]);
  });

  it('is in force when a snapshot cannot be read just now; it reports that images may stay, and notes them the next time', async () => {
    const id = await publishTestSnapshot(dataDir, [boots('a')]);
    const file = path.join(dataDir, 'snapshots', id, 'creatives.jsonl');
    renameSync(file, path.join(dataDir, 'aside'));
    // Unreadable even for root.
    mkdirSync(file);
    const refused = await block().catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(ImagesNotTakenDownError);
    expect(String(refused)).to.match(/boots is taken down, but its images may not be: .*cannot be read \(EISDIR\)/);
    expect((await down()).map((each) => each.id)).to.deep.equal(['boots']);
    expect((await recorded()).map(({ fields }) => fields)).to.deep.equal([takenDown]);
    rmSync(file, { recursive: true });
    renameSync(path.join(dataDir, 'aside'), file);
    await block();
    expect((await down())[0]!.images).to.deep.equal([image('a')]);
  });

  it('is refused when the file lists a creative twice', async () => {
    const takedown = { id: 'boots', reason: null, at: new Date(0).toISOString(), images: [] };
    writeFileSync(takedownStore(dataDir).path, JSON.stringify({ version: 1, creatives: [takedown, takedown] }));
    expect(String(await block().catch((error: unknown) => error))).to.include('boots appears twice in the creatives');
  });
});
