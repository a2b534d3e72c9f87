import { expect } from 'chai';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type Cluster, openCluster } from '../../../platform/cluster/cluster.js';
import { readDocument, replaceDocument } from '../../../platform/cluster/documents.js';
import { lockCatalogue } from '../../../models/snapshot/catalogue-lock.js';
import { createCatalogueRefresh, fetchCatalogue } from '../../../models/snapshot/fetch-catalogue.js';
import { readHistory } from '../../../models/snapshot/history.js';
import { storeImage } from '../../../models/snapshot/images.js';
import { KEPT_SNAPSHOTS, listSnapshots } from '../../../models/snapshot/kept-snapshots.js';
import { readLandingUrls, shareLandingUrls } from '../../../models/snapshot/landing-urls.js';
import { snapshotDirectory } from '../../../models/snapshot/layout.js';
import { loadSnapshot } from '../../../models/snapshot/load-snapshot.js';
import { readPointer } from '../../../models/snapshot/pointer.js';
import { rollback } from '../../../models/snapshot/publish.js';
import { CLICK_WINDOW_MS, removeOutdated } from '../../../models/snapshot/retention.js';
import { shareImages, unshareCatalogue } from '../../../models/snapshot/shared-catalogue.js';
import { DIMS, testCreative, publishTestSnapshot } from '../../support/test-snapshot.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('the catalogue of several nodes', () => {
  const encoder = { fingerprint: 'made', dims: DIMS };
  let database: TemporaryDatabase;
  let one: Cluster;
  let other: Cluster;
  beforeEach(async () => {
    database = await temporaryDatabase();
    [one, other] = [await join(), await join()];
  });
  afterEach(async () => {
    await Promise.all([one.close(), other.close()]);
    await database.drop();
  });

  const join = (): Promise<Cluster> => openCluster({ url: database.url, dataDir: temporaryDirectory() });
  const publishOn = (cluster: Cluster, creatives: number): Promise<string> =>
    publishTestSnapshot(cluster.dataDir, creatives, 'made', false, cluster);

  it('is on every node what one of them has published, with its history', async () => {
    const id = await publishOn(one, 40);
    await fetchCatalogue(other);
    expect(await readPointer(other.dataDir)).to.deep.equal([id]);
    expect((await loadSnapshot(snapshotDirectory(other.dataDir, id), encoder)).creatives).to.have.length(40);
    await other.refresh();
    expect((await readHistory(other.dataDir)).map((period) => [period.id, period.how])).to.deep.equal([
      [id, 'publish'],
    ]);
  });

  it('rolls back on all nodes, even if one never had the snapshot', async () => {
    const before = await publishOn(one, 3);
    await publishOn(one, 4);
    await fetchCatalogue(other);
    await rollback(other.dataDir, encoder, undefined, { cluster: other });
    await fetchCatalogue(one);
    expect((await readPointer(one.dataDir))[0]).to.equal(before);
  });

  it('stays unchanged when bytes arrive damaged', async () => {
    const good = await publishOn(one, 3);
    await fetchCatalogue(other);
    const bad = await publishOn(one, 4);
    await one.pool.query(
      `update shared_chunks set content = '\\x00' where sha256 =
         (select sha256 from shared_files where path = 'snapshots/' || $1::text || '/vectors.f32')`,
      [bad],
    );
    expect(await fetchCatalogue(other).catch(String)).to.contain(
      `snapshots/${bad}/vectors.f32 arrived damaged or incomplete`,
    );
    expect((await readPointer(other.dataDir))[0]).to.equal(good);
    expect(existsSync(snapshotDirectory(other.dataDir, bad))).to.equal(false);
  });

  it('is put in place once when fetched several times at once: a snapshot in use is not replaced', async () => {
    const id = await publishOn(one, 3);
    const place = snapshotDirectory(other.dataDir, id);
    const inodes = new Set<number>();
    mkdirSync(path.dirname(place), { recursive: true });
    const watcher = watch(path.dirname(place), () => {
      const stats = statSync(place, { throwIfNoEntry: false });
      if (stats !== undefined) inodes.add(stats.ino);
    });
    try {
      const both = Array.from({ length: 6 }, () => fetchCatalogue(other));
      await Promise.all(both);
      inodes.add(statSync(place).ino);
      expect(inodes.size).to.equal(1);
    } finally {
      watcher.close();
    }
  });

  it('replaces a damaged snapshot and removes the remains left by a killed process', async () => {
    const id = await publishOn(one, 3);
    await fetchCatalogue(other);
    const vectors = path.join(snapshotDirectory(other.dataDir, id), 'vectors.f32');
    writeFileSync(vectors, 'short');
    const left = path.join(other.dataDir, 'fetching', 'left');
    mkdirSync(left, { recursive: true });
    const young = path.join(other.dataDir, 'fetching', 'young');
    mkdirSync(young);
    utimesSync(left, 0, 0);
    await fetchCatalogue(other);
    expect(statSync(vectors).size).to.equal(3 * DIMS * 4);
    expect([existsSync(left), existsSync(young)]).to.deep.equal([false, true]);
  });

  it('stays unchanged and reports it when no node shares the live snapshot, and can be published again', async () => {
    const good = await publishOn(one, 3);
    await fetchCatalogue(other);
    const lost = await publishOn(one, 4);
    await unshareCatalogue(one, { snapshots: [lost], images: [] });
    const look = createCatalogueRefresh(other);
    expect(await look().catch(String)).to.contain('no node shares the live snapshot');
    expect((await readPointer(other.dataDir))[0]).to.equal(good);
    const next = await publishOn(other, 5);
    await fetchCatalogue(one);
    expect((await readPointer(one.dataDir))[0]).to.equal(next);
  });

  it('is shared again when the live snapshot is published again, or the one before a lost snapshot', async () => {
    const good = await publishOn(one, 3);
    await fetchCatalogue(other);
    const live = await publishOn(one, 4);
    await unshareCatalogue(one, { snapshots: [live], images: [] });
    expect(await publishOn(one, 4)).to.equal(live);
    await createCatalogueRefresh(other)();
    expect((await readPointer(other.dataDir))[0]).to.equal(live);
    // This node's pointer names the snapshot that it publishes; the shared pointer names one that no node has.
    const lost = await publishOn(one, 5);
    await unshareCatalogue(one, { snapshots: [lost], images: [] });
    expect((await readPointer(other.dataDir)).slice(0, 2)).to.deep.equal([live, good]);
    expect(await publishOn(other, 4)).to.equal(live);
    await createCatalogueRefresh(one)();
    expect((await readPointer(one.dataDir))[0]).to.equal(live);
  });

  it('is published even if the node cannot write its own pointer; that node removes nothing until it can', async () => {
    await publishOn(one, 3);
    const place = path.join(one.dataDir, 'current');
    const older = readFileSync(place, 'utf8');
    // A directory in the pointer's place, put there after each change of shared data, simulates a full disk.
    const full: Cluster = {
      ...one,
      async refresh() {
        rmSync(place, { recursive: true });
        mkdirSync(place);
      },
    };
    const id = await publishOn(full, 4);
    await fetchCatalogue(other);
    expect((await readPointer(other.dataDir))[0]).to.equal(id);
    await other.refresh();
    expect((await readHistory(other.dataDir))[0]).to.include({ id, how: 'publish' });
    rmdirSync(place);
    writeFileSync(place, older);
    const refused = await removeOutdated(one.dataDir, 0, { cluster: one }).catch(String);
    expect(refused).to.contain(`snapshot ${id} is live, but this node's pointer does not name it`);
    await Promise.all([one.refresh(), createCatalogueRefresh(one)()]);
    expect((await readPointer(one.dataDir))[0]).to.equal(id);
    expect(await removeOutdated(one.dataDir, 0, { cluster: one })).to.deep.equal({ snapshots: 0, images: 0 });
  });

  it('keeps landing URLs that another node has added, and cleans up once this node has read them', async () => {
    await publishOn(one, 3);
    await shareLandingUrls(other, [testCreative('added')]);
    const refused = await removeOutdated(one.dataDir, 0, { cluster: one }).catch(String);
    expect(refused).to.contain('the shared landing URLs have changed since this node read them');
    await one.refresh();
    expect((await readLandingUrls(one.dataDir)).creatives.has('added')).to.equal(true);
    await removeOutdated(one.dataDir, 0, { cluster: one });
    const { creatives } = await readLandingUrls(one.dataDir);
    expect(creatives.get('added')).to.deep.equal({
      landingUrl: 'https://shop.example/added',
      leftAt: new Date(0).toISOString(),
      source: 'default',
    });
  });

  it('restores a pointer that another process of the node replaces with an older one', async () => {
    await publishOn(one, 3);
    const older = readFileSync(path.join(one.dataDir, 'current'), 'utf8');
    const id = await publishOn(one, 4);
    const look = createCatalogueRefresh(one);
    await look();
    writeFileSync(path.join(one.dataDir, 'current'), older);
    await look();
    expect((await readPointer(one.dataDir))[0]).to.equal(id);
  });

  it('is not replaced by a node that has not seen the live snapshot', async () => {
    const id = await publishOn(one, 3);
    expect(await publishOn(other, 4).catch(String)).to.contain('another node has published meanwhile');
    await fetchCatalogue(other);
    expect(await readPointer(other.dataDir)).to.deep.equal([id]);
  });

  it('has a creative’s landing URL on every node before the creative can be served', async () => {
    await publishOn(one, 3);
    await other.refresh();
    // This node has not seen the new pointer, so the snapshot that it publishes does not go live.
    expect(await publishOn(other, 4).catch(String)).to.contain('another node has published meanwhile');
    await one.refresh();
    const { creatives } = await readLandingUrls(one.dataDir);
    expect([...creatives.keys()]).to.deep.equal(['c0', 'c1', 'c2', 'c3']);
    expect(creatives.get('c3')).to.deep.equal({
      landingUrl: 'https://shop.example/c3',
      leftAt: null,
      source: 'default',
    });
  });

  it('publishes beside a damaged table of landing URLs, and then makes it anew for all nodes', async () => {
    await publishOn(one, 3);
    await replaceDocument(one, 'landing-urls.json', '{"creatives":7}');
    const id = await publishOn(one, 4);
    expect((await readPointer(one.dataDir))[0]).to.equal(id);
    expect(await readDocument(one, 'landing-urls.json')).to.equal('{"creatives":7}');

    const messages: string[] = [];
    await removeOutdated(one.dataDir, 0, { cluster: one, onLostLinks: (message) => messages.push(message) });
    expect(messages).to.have.length(1);
    const kept = readdirSync(one.dataDir).find((name) => name.startsWith('landing-urls.json.damaged-'));
    expect(readFileSync(path.join(one.dataDir, kept!), 'utf8')).to.equal('{"creatives":7}');
    await other.refresh();
    const { creatives } = await readLandingUrls(other.dataDir);
    expect([...creatives.keys()]).to.deep.equal(['c0', 'c1', 'c2', 'c3']);
  });

  it('drops snapshots beyond the kept ones on every node, and keeps their landing URLs for clicks', async () => {
    const picture = Buffer.from('picture');
    const imageFile = `${createHash('sha256').update(picture).digest('hex')}.png`;
    const source = path.join(temporaryDirectory(), 'picture.png');
    writeFileSync(source, picture);
    await storeImage(one.dataDir, source, imageFile);
    await shareImages(one, [imageFile]);
    const first = await publishTestSnapshot(one.dataDir, [testCreative('old', { imageFile })], 'made', false, one);
    await fetchCatalogue(other);
    expect(readFileSync(path.join(other.dataDir, 'images', imageFile), 'utf8')).to.equal('picture');
    for (let more = 1; more <= KEPT_SNAPSHOTS; more++) await publishOn(one, more);
    await removeOutdated(one.dataDir, 0, { cluster: one });
    const third = await join();
    try {
      await fetchCatalogue(third);
      const kept = (await listSnapshots(third.dataDir)).map(({ id }) => id);
      expect(kept).to.have.length(KEPT_SNAPSHOTS).and.not.include(first);
      expect((await readLandingUrls(third.dataDir)).creatives.get('old')?.landingUrl).to.contain('/old');
      expect(existsSync(path.join(third.dataDir, 'images', imageFile))).to.equal(true);
      await removeOutdated(one.dataDir, CLICK_WINDOW_MS, { cluster: one });
      const { rows } = await one.pool.query("select path from shared_files where path like 'images/%'");
      expect(rows).to.deep.equal([]);
    } finally {
      await third.close();
    }
  });

  it('is written by one node at a time, which has what the previous one published', async () => {
    const first = await lockCatalogue(one.dataDir, () => {}, one);
    let waited = false;
    const second = lockCatalogue(other.dataDir, () => (waited = true), other);
    await eventually(async () => expect(waited).to.equal(true));
    const id = await publishOn(one, 3);
    expect(await readPointer(other.dataDir)).to.deep.equal([]);
    await first.release();
    const lock = await second;
    expect(await readPointer(other.dataDir)).to.deep.equal([id]);
    await lock.release();
  });
});
