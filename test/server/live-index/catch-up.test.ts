import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Cluster, openCluster } from '../../../platform/cluster/cluster.js';
import { fetchImages } from '../../../models/snapshot/fetch-catalogue.js';
import { storeImage } from '../../../models/snapshot/images.js';
import { shareImages } from '../../../models/snapshot/shared-catalogue.js';
import { createCatchUp } from '../../../server/live-index/catch-up.js';
import { testCreative, publishTestSnapshot } from '../../support/test-snapshot.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('an image that another node has published', function () {
  this.timeout(120_000);
  let database: TemporaryDatabase;
  let one: Cluster;
  /** A node that follows nothing by itself. */
  let node: Cluster;
  beforeEach(async () => {
    database = await temporaryDatabase();
    one = await openCluster({ url: database.url, dataDir: temporaryDirectory() });
    node = await openCluster({ url: database.url, dataDir: temporaryDirectory() });
  });
  afterEach(async () => {
    await Promise.all([one.close(), node.close()]);
    await database.drop();
  });

  const publish = async (...pictures: string[]): Promise<string[]> => {
    const names: string[] = [];
    for (const picture of pictures) {
      const name = `${createHash('sha256').update(picture).digest('hex')}.png`;
      const source = path.join(temporaryDirectory(), 'picture.png');
      writeFileSync(source, picture);
      await storeImage(one.dataDir, source, name);
      names.push(name);
    }
    await shareImages(one, names);
    const creatives = names.map((imageFile, place) => testCreative(`c${place}`, { imageFile }));
    await publishTestSnapshot(one.dataDir, creatives, 'made', false, one);
    return names;
  };
  /** Damages the snapshot's chunks, so that fetching the snapshot never succeeds. */
  const spoilSnapshot = () =>
    one.pool.query(
      `update shared_chunks set content = '\\x00'
       where sha256 in (select sha256 from shared_files where path like 'snapshots/%')`,
    );
  const catchUp = (asked: (readonly string[])[] = []) =>
    createCatchUp({
      nodes: { cluster: node, fetchImages: (names) => (asked.push(names), fetchImages(node, names)) },
      index: { refreshLandingUrls: async () => {} },
      takedowns: { refresh: async () => {} },
    });
  const images = () => readdirSync(path.join(node.dataDir, 'images')).toSorted();

  it('is fetched alone, even if the snapshot cannot be fetched', async () => {
    const [asked] = await publish('picture', 'other');
    await spoilSnapshot();
    expect(await catchUp().image(asked!)).to.equal(true);
    expect(images()).to.deep.equal([asked]);
    expect(readFileSync(path.join(node.dataDir, 'images', asked!), 'utf8')).to.equal('picture');
  });

  it('is fetched together with all others requested meanwhile, in one look; unknown names fetch nothing', async () => {
    const names = await publish('picture', 'other', 'third');
    await spoilSnapshot();
    const looks: (readonly string[])[] = [];
    const { image } = catchUp(looks);
    const unknown = `${'cd'.repeat(32)}.png`;
    const asked = [names[0]!, names[0]!, names[1]!, unknown];
    expect(await Promise.all(asked.map(image))).to.deep.equal([true, true, true, true]);
    expect(looks).to.deep.equal([[names[0], names[1], unknown]]);
    expect(images()).to.deep.equal(names.slice(0, 2).toSorted());
    expect(await image(names[2]!)).to.equal(true);
    expect(looks[1]).to.deep.equal([names[2]]);
  });

  it('is not stored if its bytes are damaged, which does not prevent the others', async () => {
    const names = (await publish('picture', 'other')).toSorted();
    const spoil = "update shared_chunks set content = 'x' where sha256 = $1";
    await one.pool.query(spoil, [path.parse(names[0]!).name]);
    const { image } = catchUp();
    expect(await Promise.all(names.map(image))).to.deep.equal([false, false]);
    expect(images()).to.deep.equal([names[1]]);
  });
});
