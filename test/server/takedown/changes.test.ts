import { expect } from 'chai';
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readAudit } from '../../../models/audit/read-audit.js';
import { contentDigest } from '../../../server/audit/content-digest.js';
import { ImagesNotTakenError, takeDown } from '../../../server/takedown/changes.js';
import { takedownStore } from '../../../server/takedown/takedown-file.js';
import { madeCreative, madeSnapshot } from '../../support/made-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const by = { via: 'dashboard', session: '12345678', address: '::1' } as const;
const image = (letter: string): string => `${letter.repeat(64)}.png`;

describe('taking a creative down', () => {
  let dataDir: string;
  beforeEach(() => void (dataDir = temporaryDirectory()));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const block = () => takeDown({ dataDir, by, action: 'creatives block', now: 0 }, 'boots', 'no licence');
  const down = async () => (await takedownStore(dataDir).read()).creatives;
  const boots = (letter: string) => madeCreative('boots', { imageFile: image(letter) });
  const told = async () => (await readAudit(dataDir, { kind: 'creative', name: 'boots' })).entries;
  const takenDown = {
    takenDownAt: { old: null, new: new Date(0).toISOString() },
    reason: { old: null, new: 'no licence' },
  };

  it('takes its images of all kept snapshots too, and names the live creatives that keep one', async () => {
    await madeSnapshot(dataDir, [boots('a'), madeCreative('gone', { imageFile: image('a') })]);
    await madeSnapshot(dataDir, [
      madeCreative('rake', { imageFile: image('b') }),
      madeCreative('seeds', { imageFile: image('a') }),
      madeCreative('tea', { imageFile: image('c') }),
      boots('b'),
    ]);
    const { takedown, sharedWith } = await block();
    expect(takedown.images).to.have.members([image('a'), image('b')]);
    expect(sharedWith).to.deep.equal(['rake', 'seeds']);
    expect(await down()).to.deep.equal([takedown]);
  });

  it('is recorded as a takedown once, and as what became of its images, which leaves no content to be taken for an edit', async () => {
    await madeSnapshot(dataDir, [boots('a')]);
    await block();
    await block();
    const entries = await told();
    expect(entries.map(({ fields }) => fields)).to.deep.equal([{ images: { old: 0, new: 1 } }, takenDown]);
    expect(entries[0]!.content).to.equal(contentDigest(await takedownStore(dataDir).read()));
  });

  it('takes a damaged snapshot for one that has none of its images', async () => {
    const damaged = await madeSnapshot(dataDir, [boots('a')]);
    truncateSync(path.join(dataDir, 'snapshots', damaged, 'creatives.jsonl'), 10);
    await madeSnapshot(dataDir, [boots('b')]);
    expect((await block()).takedown.images).to.deep.equal([image('b')]);
  });

  it('holds where a snapshot cannot be read just now, says that images may stay, and takes them the next time', async () => {
    const id = await madeSnapshot(dataDir, [boots('a')]);
    const file = path.join(dataDir, 'snapshots', id, 'creatives.jsonl');
    renameSync(file, path.join(dataDir, 'aside'));
    // Readable by nobody, root included.
    mkdirSync(file);
    const refused = await block().catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(ImagesNotTakenError);
    expect(String(refused)).to.match(/boots is taken down, but its images may not be: .*cannot be read \(EISDIR\)/);
    expect((await down()).map((each) => each.id)).to.deep.equal(['boots']);
    expect((await told()).map(({ fields }) => fields)).to.deep.equal([takenDown]);
    rmSync(file, { recursive: true });
    renameSync(path.join(dataDir, 'aside'), file);
    await block();
    expect((await down())[0]!.images).to.deep.equal([image('a')]);
  });

  it('is refused by a file that names a creative twice', async () => {
    const takedown = { id: 'boots', reason: null, at: new Date(0).toISOString(), images: [] };
    writeFileSync(takedownStore(dataDir).path, JSON.stringify({ version: 1, creatives: [takedown, takedown] }));
    expect(String(await block().catch((error: unknown) => error))).to.include('boots stands twice among the creatives');
  });
});
