import { expect } from 'chai';
import { rm, writeFile } from 'node:fs/promises';
import { listSnapshots } from '../../../models/snapshot/kept-snapshots.js';
import { layoutOf } from '../../../models/snapshot/layout.js';
import { readPublications } from '../../../models/snapshot/pointer.js';
import { publish, rollback } from '../../../models/snapshot/publish.js';
import { DIMS, publishTestSnapshot } from '../../support/test-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('publications', () => {
  let dataDir: string;
  beforeEach(() => void (dataDir = temporaryDirectory()));
  afterEach(() => rm(dataDir, { recursive: true }));
  const times = async () => (await listSnapshots(dataDir)).map(({ id, publishedAt }) => [id, publishedAt]);

  it('are recorded with their time, which a rollback renews, unlike publishing the same snapshot again', async () => {
    const [first, second] = [await publishTestSnapshot(dataDir, 3), await publishTestSnapshot(dataDir, 5)];
    await publish(dataDir, first, { now: new Date('2026-11-01T00:00:00Z') });
    await publish(dataDir, second, { now: new Date('2026-11-02T00:00:00Z') });
    await publish(dataDir, second, { now: new Date('2026-11-03T00:00:00Z') });
    expect(await times()).to.deep.equal([
      [second, '2026-11-02T00:00:00.000Z'],
      [first, '2026-11-01T00:00:00.000Z'],
    ]);
    await rollback(dataDir, { fingerprint: 'made', dims: DIMS }, first, { now: new Date('2026-11-04T00:00:00Z') });
    expect((await times())[0]).to.deep.equal([first, '2026-11-04T00:00:00.000Z']);
  });

  it('are refused if another one took place since the snapshot was built', async () => {
    const [first, second, third] = [
      await publishTestSnapshot(dataDir, 3),
      await publishTestSnapshot(dataDir, 5),
      await publishTestSnapshot(dataDir, 7),
    ];
    await publish(dataDir, first);
    await publish(dataDir, second, { builtOn: first });
    const refused = await publish(dataDir, third, { builtOn: first }).catch(String);
    expect(refused).to.include('another run has published meanwhile');
    expect((await readPublications(dataDir))[0]?.id).to.equal(second);
  });

  it('have no time if an older version recorded them; lines without an id are skipped', async () => {
    const id = await publishTestSnapshot(dataDir, 3);
    await writeFile(layoutOf(dataDir).current, `${id}\n../../etc 2026\n`);
    expect(await readPublications(dataDir)).to.deep.equal([{ id, publishedAt: null }]);
  });
});
