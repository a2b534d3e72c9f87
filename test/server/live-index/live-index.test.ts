import { expect } from 'chai';
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Encoder } from '../../../models/encoder/encoder.js';
import { readPointer } from '../../../models/snapshot/pointer.js';
import { type Manifest, snapshotId } from '../../../models/snapshot/manifest.js';
import { publish, rollback } from '../../../models/snapshot/publish.js';
import { type LiveIndex, openLiveIndex } from '../../../server/live-index/live-index.js';
import { creativeMapsOf } from '../../../server/live-index/creative-maps.js';
import { bundledEncoder } from '../../support/bundled-encoder.js';
import { feedRow, feedRows, writeFeed } from '../../support/feed.js';
import { runCommand } from '../../support/indexer-command.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { createHash } from 'node:crypto';

/** A server follows within 2 s; the tests allow three times as long for a busy machine. */
const FOLLOWED_MS = 6000;

describe('the live index', function () {
  this.timeout(180_000);
  let encoder: Encoder;
  let folder: string;
  let dataDir: string;
  let live: LiveIndex;
  let logged: string[];

  before(async () => {
    encoder = await bundledEncoder();
  });
  after(() => encoder.close());
  beforeEach(() => {
    folder = temporaryDirectory();
    dataDir = path.join(folder, 'data');
    logged = [];
  });
  afterEach(async () => {
    await live.close();
    rmSync(folder, { recursive: true });
  });

  const open = async (elapsed?: () => number): Promise<void> => {
    const record = (details: object, message: string): void =>
      void logged.push(`${message} ${JSON.stringify(details)}`);
    live = openLiveIndex({ dataDir, encoder, log: { info: record, error: record }, ...(elapsed && { elapsed }) });
    await live.opened;
  };
  const index = async (rows: readonly unknown[], ...flags: string[]): Promise<string> => {
    const { code, stderr } = await runCommand('main', dataDir, writeFeed(folder, rows), ...flags);
    expect(code, stderr).to.equal(0);
    return (await readPointer(dataDir))[0]!;
  };

  it('serves nothing before the first publication, then what was published', async () => {
    await open();
    expect(live.current()).to.equal(null);
    expect(live.state()).to.deep.equal({ live: null, loading: null, refused: null });
    const id = await index(feedRows(3));
    await eventually(() => expect(live.current()?.id).to.equal(id), FOLLOWED_MS);
    expect(live.state().live).to.include({ id, name: 'feed', creatives: 3 });
  });

  it('has built the maps of its creatives before they go live', async () => {
    await index(feedRows(3));
    await open();
    const snapshot = live.current()!;
    Object.defineProperty(snapshot, 'creatives', { value: [] });
    const { ids } = creativeMapsOf(snapshot);
    expect(['item-0', 'item-1', 'item-2'].filter((id) => ids.has(id))).to.have.length(3);
    expect(ids.size).to.equal(3);
  });

  it('finds a creative by a conversation about it', async () => {
    await index([
      feedRow('bikes', { name: 'Bicycle repair', text: 'We fix flat tyres and brakes.' }),
      feedRow('wine', { name: 'Wine club', text: 'Red wine from France.' }),
    ]);
    await open();
    const { creatives, search } = live.current()!;
    const query = await encoder.embed('User: my bike has a flat tyre', 'context');
    const { near } = await search.nearest(query, 1, []);
    expect(creatives[near[0]!.label]!.id).to.equal('bikes');
  });

  it('picks up a new snapshot within 2 s and answers every search meanwhile', async () => {
    const first = await index(feedRows(200, 'first'));
    await open();
    const query = await encoder.embed('shop', 'context');
    const seen = new Set<string>();
    let searches = 0;
    const stop = new AbortController();
    const searcher = (async () => {
      while (!stop.signal.aborted) {
        const { id, creatives, search } = live.current()!;
        const { near } = await search.nearest(query, 3, []);
        const [best] = near;
        expect(creatives[best!.label]!.id).to.match(id === first ? /^first-/ : /^second-/);
        seen.add(id);
        searches++;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const second = await index(feedRows(300, 'second'));
    await eventually(() => expect(live.current()!.id).to.equal(second), FOLLOWED_MS);
    await eventually(() => expect(seen.has(second)).to.equal(true));
    stop.abort();
    await searcher;
    expect([...seen]).to.deep.equal([first, second]);
    expect(searches).to.be.greaterThan(100);
  });

  it('follows a rollback', async () => {
    const first = await index(feedRows(2, 'first'));
    await index(feedRows(2, 'second'));
    await open();
    await rollback(dataDir, encoder);
    await eventually(() => expect(live.current()!.id).to.equal(first), FOLLOWED_MS);
  });

  it('serves a prepared snapshot without loading it again, and drops it when it is not published', async () => {
    const first = await index(feedRows(2, 'first'));
    const second = await index(feedRows(2, 'second'));
    await open();
    const ids = (await live.prepare(first)).map(({ id }) => id);
    expect(ids).to.deep.equal(['first-0', 'first-1']);
    expect(live.current()!.id).to.equal(second);
    truncateSync(path.join(dataDir, 'snapshots', first, 'graph.hnsw'), 10);
    await publish(dataDir, first);
    live.forgetPrepared();
    await eventually(() => expect(live.current()!.id).to.equal(first), FOLLOWED_MS);

    await live.prepare(second);
    live.forgetPrepared();
    truncateSync(path.join(dataDir, 'snapshots', second, 'graph.hnsw'), 10);
    // Longer than the look at the pointer that follows `forgetPrepared`.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await publish(dataDir, second);
    await eventually(() => expect(live.state().refused).to.include({ id: second }), FOLLOWED_MS);
    expect(live.current()!.id).to.equal(first);
  });

  it('keeps its snapshot when the next one is damaged, reports why, and loads the one after', async () => {
    const good = await index(feedRows(3, 'good'));
    const bad = await index(feedRows(3, 'bad'));
    truncateSync(path.join(dataDir, 'snapshots', bad, 'graph.hnsw'), 10);
    await publish(dataDir, good);
    await open();
    await publish(dataDir, bad);
    await eventually(() => expect(live.state().refused).to.include({ id: bad }), FOLLOWED_MS);
    expect(live.state().refused!.reason).to.include('graph.hnsw is cut short');
    expect(live.current()!.id).to.equal(good);
    expect(logged.filter((line) => line.startsWith('snapshot refused'))).to.have.length(1);
    const better = await index(feedRows(3, 'better'));
    await eventually(() => expect(live.current()!.id).to.equal(better), FOLLOWED_MS);
    expect(live.state().refused).to.equal(null);
  });

  it('tries a refused snapshot again after half a minute, whatever the clock was set to meanwhile', async () => {
    const id = await index(feedRows(3));
    const file = path.join(dataDir, 'snapshots', id, 'graph.hnsw');
    const whole = readFileSync(file);
    truncateSync(file, 10);
    let passed = 0;
    const { now } = Date;
    try {
      Date.now = () => now() + 3 * 3_600_000;
      await open(() => passed);
      expect(live.state().refused).to.include({ id });
      Date.now = now;
      writeFileSync(file, whole);
      passed = 30_000;
      await eventually(() => expect(live.current()?.id).to.equal(id), 5000);
    } finally {
      Date.now = now;
    }
  });

  it('refuses a snapshot whose vectors this encoder does not produce', async () => {
    const good = await index(feedRows(3, 'good'));
    await open();
    const forged = forgeVectors(path.join(dataDir, 'snapshots', good));
    await publish(dataDir, forged);
    await eventually(() => expect(live.state().refused?.id).to.equal(forged), FOLLOWED_MS);
    expect(live.state().refused!.reason).to.match(
      /has another vector for creative good-0 .*cosine -1\.000, expected 0\.98/,
    );
    expect(live.current()!.id).to.equal(good);
  });

  it('knows the landing URL of a removed creative, in this process and after a restart', async () => {
    await index([feedRow('gone'), feedRow('stays')]);
    await open();
    expect(live.landingUrl('gone')).to.equal('https://shop.example/gone');
    const next = await index([feedRow('stays', { landingUrl: 'https://moved.example/' })]);
    await eventually(() => expect(live.current()!.id).to.equal(next), FOLLOWED_MS);
    for (const restart of [false, true]) {
      if (restart) {
        await live.close();
        await open();
      }
      expect(live.landingUrl('gone')).to.equal('https://shop.example/gone');
      expect(live.landingUrl('stays')).to.equal('https://moved.example/');
      expect(live.landingUrl('never')).to.equal(null);
    }
  });

  it('serves the snapshot even if the table of landing URLs is damaged', async () => {
    await index(feedRows(2));
    writeFileSync(path.join(dataDir, 'landing-urls.json'), '{');
    await open();
    expect(live.landingUrl('item-0')).to.equal('https://shop.example/item-0');
    expect(logged.some((line) => line.startsWith('landing URLs cannot be read'))).to.equal(true);
  });
});

/** Makes a snapshot whose parts match each other but whose vectors point in the opposite direction. @returns its id */
function forgeVectors(directory: string): string {
  const manifest = JSON.parse(readFileSync(path.join(directory, 'manifest.json'), 'utf8')) as Manifest;
  const bytes = readFileSync(path.join(directory, 'vectors.f32'));
  for (let at = 0; at < bytes.length; at += 4) bytes.writeFloatLE(-bytes.readFloatLE(at), at);
  manifest.files['vectors.f32'].sha256 = createHash('sha256').update(bytes).digest('hex');
  manifest.id = snapshotId(manifest);
  const forged = path.join(path.dirname(directory), manifest.id);
  cpSync(directory, forged, { recursive: true });
  writeFileSync(path.join(forged, 'vectors.f32'), bytes);
  writeFileSync(path.join(forged, 'manifest.json'), JSON.stringify(manifest));
  return manifest.id;
}
