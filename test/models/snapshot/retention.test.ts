import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { storeImage } from '../../../models/snapshot/images.js';
import { listSnapshots } from '../../../models/snapshot/kept-snapshots.js';
import { readLandingUrls } from '../../../models/snapshot/landing-urls.js';
import { readPointer } from '../../../models/snapshot/pointer.js';
import { rollback } from '../../../models/snapshot/publish.js';
import { CLICK_WINDOW_MS, removeOutdated } from '../../../models/snapshot/retention.js';
import { PNG } from '../../support/png.js';
import { DIMS, testCreative, publishTestSnapshot } from '../../support/test-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('the retention of snapshots', () => {
  let dataDir: string;
  const imageFile = `${createHash('sha256').update(PNG).digest('hex')}.png`;
  const encoder = { fingerprint: 'made', dims: DIMS };
  const start = Date.parse('2026-06-01T00:00:00Z');
  beforeEach(() => {
    dataDir = temporaryDirectory();
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  /** Publishes a snapshot with an image, then enough others to push it out of the kept ones. */
  const publishAndPushOut = async (): Promise<void> => {
    writeFileSync(path.join(dataDir, 'source.png'), PNG);
    await storeImage(dataDir, path.join(dataDir, 'source.png'), imageFile);
    await publishTestSnapshot(dataDir, [testCreative('old', { imageFile })]);
    for (let round = 0; round < 5; round++) {
      await removeOutdated(dataDir, start - 1);
      await publishTestSnapshot(dataDir, [testCreative(`new-${round}`)]);
    }
    await removeOutdated(dataDir, start);
  };
  const image = (): boolean => existsSync(path.join(dataDir, 'images', imageFile));
  const landingUrl = async (id: string) => (await readLandingUrls(dataDir)).creatives.get(id);

  it('keeps image and landing URL for the click window after the last kept snapshot', async () => {
    await publishAndPushOut();
    expect(await listSnapshots(dataDir)).to.have.length(5);
    expect(await landingUrl('old')).to.deep.equal({
      landingUrl: 'https://shop.example/old',
      leftAt: new Date(start).toISOString(),
      source: 'default',
    });
    await removeOutdated(dataDir, start + CLICK_WINDOW_MS - 1);
    expect(image()).to.equal(true);
    expect(await landingUrl('old')).to.be.an('object');
    await removeOutdated(dataDir, start + CLICK_WINDOW_MS);
    expect(image()).to.equal(false);
    expect(await landingUrl('old')).to.equal(undefined);
  });

  it('keeps both without limit if a later snapshot names them again', async () => {
    await publishAndPushOut();
    await publishTestSnapshot(dataDir, [testCreative('old', { imageFile, landingUrl: 'https://moved.example/' })]);
    await removeOutdated(dataDir, start + 1);
    await removeOutdated(dataDir, start + 10 * CLICK_WINDOW_MS);
    expect(image()).to.equal(true);
    expect(await landingUrl('old')).to.deep.equal({
      landingUrl: 'https://moved.example/',
      leftAt: null,
      source: 'default',
    });
  });

  it('uses the landing URL of the live snapshot over those of older ones', async () => {
    await publishTestSnapshot(dataDir, [testCreative('a', { landingUrl: 'https://one.example/' })]);
    await publishTestSnapshot(dataDir, [testCreative('a', { landingUrl: 'https://two.example/' })]);
    await removeOutdated(dataDir, start);
    expect((await landingUrl('a'))!.landingUrl).to.equal('https://two.example/');
    await rollback(dataDir, encoder);
    await removeOutdated(dataDir, start);
    expect((await landingUrl('a'))!.landingUrl).to.equal('https://one.example/');
  });

  it('works with ids that are built-in JavaScript property names', async () => {
    await publishTestSnapshot(dataDir, [testCreative('__proto__'), testCreative('constructor')]);
    await removeOutdated(dataDir, start);
    expect((await landingUrl('__proto__'))!.landingUrl).to.equal('https://shop.example/__proto__');
    expect((await landingUrl('constructor'))!.leftAt).to.equal(null);
  });

  it('keeps the live snapshot and those before it, not those that a rollback left', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 5; round++) ids.push(await publishTestSnapshot(dataDir, [testCreative(`c-${round}`)]));
    await rollback(dataDir, encoder);
    ids.push(await publishTestSnapshot(dataDir, [testCreative('after')]));
    await removeOutdated(dataDir, start);
    expect(await readPointer(dataDir)).to.deep.equal([ids[5], ids[3], ids[2], ids[1], ids[0]]);
    expect(readdirSync(path.join(dataDir, 'snapshots'))).to.have.members([ids[5], ids[3], ids[2], ids[1], ids[0]]);
  });

  it('makes a damaged table of landing URLs anew, keeps its text, and says so', async () => {
    await publishAndPushOut();
    const file = path.join(dataDir, 'landing-urls.json');
    writeFileSync(file, '{"creatives":');
    const messages: string[] = [];
    const onLostLinks = (message: string) => void messages.push(message);
    await removeOutdated(dataDir, start + 1, { onLostLinks });
    expect(messages).to.have.length(1);
    expect(messages[0]).to.match(/landing-urls\.json was damaged \(.+\) and is rebuilt from the kept snapshots/);
    expect(await landingUrl('new-4')).to.deep.equal({
      landingUrl: 'https://shop.example/new-4',
      leftAt: null,
      source: 'default',
    });
    expect(await landingUrl('old')).to.equal(undefined);
    const kept = readdirSync(dataDir).find((name) => name.startsWith('landing-urls.json.damaged-'));
    expect(readFileSync(path.join(dataDir, kept!), 'utf8')).to.equal('{"creatives":');

    await removeOutdated(dataDir, start + 2, { onLostLinks });
    expect(messages).to.have.length(1);
  });

  it('forgets the oldest links of the source that has most of them when the table is full, and says so', async () => {
    const messages: string[] = [];
    const removeAt = (now: number) =>
      // Room for nine creatives, five of which are in kept snapshots.
      removeOutdated(dataDir, now, { maxCharacters: 1200, onLostLinks: (message) => void messages.push(message) });
    await publishTestSnapshot(dataDir, [testCreative('x', { source: 'calm' })]);
    for (let day = 0; day < 12; day++) {
      await publishTestSnapshot(dataDir, [testCreative(`day-${day}`)]);
      await removeAt(start + day * 86_400_000);
    }
    const entries = await Promise.all(Array.from({ length: 12 }, (_, day) => landingUrl(`day-${day}`)));
    const first = entries.findIndex((entry) => entry !== undefined);
    expect(first).to.be.within(3, 5);
    expect(entries.slice(first)).to.not.include(undefined);
    expect((await landingUrl('x'))!.leftAt).to.be.a('string');
    expect(messages.at(-1)).to.match(/^Source default: 1 creatives that have left no longer have a link/);
  });

  it('publishes the same content under the same id, replacing a damaged copy', async () => {
    const id = await publishTestSnapshot(dataDir, 3);
    writeFileSync(path.join(dataDir, 'snapshots', id, 'vectors.f32'), 'damaged');
    expect(await publishTestSnapshot(dataDir, 3)).to.equal(id);
    expect(await rollback(dataDir, encoder, id)).to.equal(id);
  });
});
