import { expect } from 'chai';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fingerprintOf } from '../../models/encoder/fingerprint.js';
import { PROFILES, readProfile } from '../../models/encoder/profile.js';
import type { SearchFilter } from '../../models/index/catalogue-search.js';
import { buildGraph } from '../../models/index/graph.js';
import { loadSnapshot, type LoadedSnapshot } from '../../models/snapshot/load-snapshot.js';
import { readPointer } from '../../models/snapshot/pointer.js';
import { publish } from '../../models/snapshot/publish.js';
import { writeSnapshot } from '../../models/snapshot/write-snapshot.js';
import { exactIndex } from '../../models/index/vector-index.js';
import { feedRow, writeFeed } from '../support/feed.js';
import { runCommand } from '../support/indexer-command.js';
import { testCreative } from '../support/test-snapshot.js';
import { randomNumbers } from '../support/plausible-month.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SIZE = 700;
const KNOWN = SIZE + 40;
const profile = readProfile(`${PROFILES.fast}?languages=en`, '');
const { dims } = profile;

/** Runs the command. A kept snapshot has made-up vectors of all texts, so that nothing is embedded. */
describe('a feed with few changes', function () {
  this.timeout(180_000);
  const folder = temporaryDirectory();
  const dataDir = path.join(folder, 'data');
  const vectors = unitVectors(KNOWN);
  const rows = Array.from({ length: KNOWN }, (_, at) => feedRow(`item-${at}`, { text: `Text ${at}.` }));
  /** A creative with the text of another, and so its vector. */
  const reworded = { ...rows[300]!, name: rows[SIZE + 30]!['name'], text: rows[SIZE + 30]!['text'] };
  let fingerprint: string;

  before(async () => {
    fingerprint = await fingerprintOf(profile);
    await publishKnown(fingerprint);
  });
  after(() => rmSync(folder, { recursive: true }));

  const index = (feed: readonly unknown[], ...flags: string[]) =>
    runCommand('main', dataDir, writeFeed(folder, feed), '--brief', '--allow-shrink', ...flags);
  const liveDirectory = async (): Promise<string> => path.join(dataDir, 'snapshots', (await readPointer(dataDir))[0]!);
  const live = async (): Promise<LoadedSnapshot> => loadSnapshot(await liveDirectory(), { fingerprint, dims });
  const rowAt = (at: number): Float32Array => vectors.slice(at * dims, (at + 1) * dims);
  const near = async ({ search }: LoadedSnapshot, at: number, k: number, filter?: SearchFilter): Promise<number[]> =>
    (await search.nearest(rowAt(at), k, [], filter)).near.map(({ label }) => label);
  const best = async (snapshot: LoadedSnapshot, at: number): Promise<string> =>
    snapshot.creatives[(await near(snapshot, at, 1))[0]!]!.id;

  it('has its graph continued: it finds exactly the live creatives, by their new vectors and in exact order', async () => {
    const feed = [...rows.slice(SIZE, SIZE + 20), ...rows.slice(20, SIZE)].map((row) =>
      row['id'] === 'item-300' ? reworded : row,
    );
    const { code, stdout } = await index(feed.toReversed());
    expect(code).to.equal(0);
    expect(stdout).to.match(/^Embedding: 0 embedded/m);
    // The live snapshot has 40 creatives more than the 700 of the feed.
    expect(stdout).to.match(/^Building: 700 creatives, .*; graph continued, 0 placed in it/m);
    const snapshot = await live();
    expect(snapshot.search.size).to.equal(SIZE);
    expect(await best(snapshot, SIZE + 30)).to.equal('item-300');
    expect(await best(snapshot, SIZE + 5)).to.equal(`item-${SIZE + 5}`);
    expect(await best(snapshot, 300)).to.not.equal('item-300');
    const everything = await near(snapshot, 7, SIZE);
    const found = everything.map((label) => snapshot.creatives[label]!.id);
    expect(new Set(found).size).to.equal(SIZE);
    expect(found).to.not.include.any.members(['item-0', 'item-7', 'item-19', `item-${SIZE + 20}`]);
    const exact = exactIndex(snapshot.vectors, dims);
    const only = (label: number): boolean => label % 3 === 1;
    for (const at of [7, 100, 650]) {
      const truth = exact.search(rowAt(at), 10).map(({ label }) => label);
      expect(await near(snapshot, at, 10)).to.deep.equal(truth);
      expect((await near(snapshot, at, 30, { accept: only })).every(only)).to.equal(true);
    }
  });

  it('adds vectors to the live graph', async () => {
    const { stdout } = await index([...rows.slice(0, 20), ...rows.slice(40, SIZE + 20)]);
    expect(stdout).to.match(/^Building: 700 creatives, .*; graph continued, 21 placed in it/m);
    const snapshot = await live();
    expect(await best(snapshot, 300)).to.equal('item-300');
    expect(await best(snapshot, 3)).to.equal('item-3');
    expect(await best(snapshot, 25)).to.not.equal('item-25');
  });

  it('gives the same snapshot if nothing changed', async () => {
    const [before] = await readPointer(dataDir);
    const { stdout } = await index([...rows.slice(0, 20), ...rows.slice(40, SIZE + 20)]);
    expect(stdout).to.include(`Published ${before} (the same as before)`);
  });

  it('has its graph built anew if the live one is damaged, cut short, or has other parameters', async () => {
    const refused = async (why: RegExp): Promise<void> => {
      const { code, stdout, stderr } = await index(rows.slice(0, SIZE));
      expect(code).to.equal(0);
      expect(stdout).to.match(/^Building: 700 creatives, .*; graph built anew/m);
      expect(stderr).to.match(why);
      expect(await best(await live(), 40)).to.equal('item-40');
    };
    for (const [damage, why] of [
      [(bytes: Buffer) => bytes.fill(7, 5000, 5004), 'was altered'],
      [(bytes: Buffer) => bytes.subarray(0, 1000), 'is cut short'],
    ] as const) {
      await publishKnown(fingerprint, why);
      const graph = path.join(await liveDirectory(), 'graph.hnsw');
      writeFileSync(graph, damage(readFileSync(graph)));
      await refused(new RegExp(`^Not continued: snapshot \\w+: graph\\.hnsw ${why}`, 'm'));
    }
    await publishKnown(fingerprint, 'narrow', (bytes) => bytes.writeUInt32LE(100, 88));
    await refused(/^Not continued: snapshot \w+: graph\.hnsw has another build width: 100, not 200/m);
  });

  it('has its graph built anew if more than a fifth changed, or another encoder made the live one', async () => {
    await publishKnown(fingerprint, 'fresh');
    expect((await index(rows.slice(0, 550))).stdout).to.include('graph built anew');
    await publishKnown(fingerprint, 'kept');
    await publishKnown('another', 'other');
    const { code, stdout } = await index(rows.slice(0, SIZE));
    expect(code).to.equal(0);
    expect(stdout).to.match(/^Building: 700 creatives, .*; graph built anew/m);
  });

  it('has its graph built anew if the continued one has too low a recall', async () => {
    // A graph with hardly any links, although its digest is correct.
    await publishKnown(fingerprint, 'poor', (bytes) => {
      const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
      for (let point = 0; point < KNOWN; point++) words[24 + point * (35 + dims)] = 1;
    });
    const { code, stdout } = await index(rows.slice(0, SIZE));
    expect(code).to.equal(0);
    expect(stdout).to.match(/graph continued.*\n.*\nRecall is too low .* built anew\.\n.*graph built anew/);
    expect(stdout).to.match(/^Recall: recall@10 against exact search: (1\.000|0\.99)/m);
  });

  /** Publishes all rows with their vectors, as if an encoder of this fingerprint had made them. */
  async function publishKnown(madeBy: string, name = 'known', spoil?: (graph: Buffer) => unknown): Promise<void> {
    const draft = await writeSnapshot(dataDir, {
      name,
      builtAt: new Date(0).toISOString(),
      source: { format: 'made', digest: '0'.repeat(64) },
      encoder: { name: profile.name, fingerprint: madeBy, dims },
      creatives: rows.map((row) => testCreative(String(row['id']), row)),
      vectors,
      usesUsearch: false,
      saveGraph: async (file) => {
        await buildGraph(vectors, dims).save(file);
        if (spoil === undefined) return;
        const bytes = readFileSync(file);
        spoil(bytes);
        writeFileSync(file, bytes);
      },
      pictures: null,
      multilingual: null,
    });
    await draft.keep();
    await publish(dataDir, draft.snapshot.id);
  }
});

/** Makes row-major vectors that are the same in every run. */
function unitVectors(size: number): Float32Array {
  const numbers = randomNumbers(1);
  const random = (): number => numbers() - 0.5;
  const basis = Float32Array.from({ length: 24 * dims }, random);
  const vectors = new Float32Array(size * dims);
  for (let label = 0; label < size; label++) {
    const row = new Float32Array(dims);
    for (let at = 0; at < 24; at++) {
      const value = random();
      for (let dim = 0; dim < dims; dim++) row[dim]! += value * basis[at * dims + dim]!;
    }
    const length = Math.hypot(...row);
    vectors.set(
      row.map((value) => value / length),
      label * dims,
    );
  }
  return vectors;
}
