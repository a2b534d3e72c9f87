import { expect } from 'chai';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fingerprintOf } from '../../models/encoder/fingerprint.js';
import { PROFILES, readProfile } from '../../models/encoder/profile.js';
import { LARGE_FROM } from '../../models/snapshot/layout.js';
import { loadSnapshot } from '../../models/snapshot/load-snapshot.js';
import { readPointer } from '../../models/snapshot/pointer.js';
import { publish } from '../../models/snapshot/publish.js';
import { writeSnapshot } from '../../models/snapshot/write-snapshot.js';
import { buildLargeGraph } from '../../models/usearch/large-graph.js';
import { clusteredVectors } from '../support/clustered-vectors.js';
import { feedRow, writeFeed } from '../support/feed.js';
import { runCommand } from '../support/indexer-command.js';
import { testCreative } from '../support/test-snapshot.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const SIZE = LARGE_FROM + 100;
const KNOWN = SIZE + 60;
const profile = readProfile(`${PROFILES.fast}?languages=en`, '');
const { dims } = profile;

/** Runs the command. A kept snapshot has made-up vectors of all texts, so that nothing is embedded. */
describe('the feed of a large catalogue', function () {
  this.timeout(240_000);
  const folder = temporaryDirectory();
  const dataDir = path.join(folder, 'data');
  const vectors = clusteredVectors(KNOWN, dims, 300);
  const rows = Array.from({ length: KNOWN }, (_, at) => feedRow(`item-${at}`, { text: `Text ${at}.`, language: 'en' }));
  let fingerprint: string;

  before(async () => {
    fingerprint = await fingerprintOf(profile);
    const draft = await writeSnapshot(dataDir, {
      name: 'known',
      builtAt: new Date(0).toISOString(),
      source: { format: 'made', digest: '0'.repeat(64) },
      encoder: { name: profile.name, fingerprint, dims },
      creatives: rows.map((row) => testCreative(String(row['id']), row)),
      vectors,
      usesUsearch: true,
      saveGraph: async (file) => buildLargeGraph({ vectors, dims, file }),
      pictures: null,
      multilingual: null,
    });
    await draft.keep();
    await publish(dataDir, draft.snapshot.id);
  });
  after(() => rmSync(folder, { recursive: true }));

  const index = async (feed: readonly unknown[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand('main', dataDir, writeFeed(folder, feed), '--brief');
    expect(code, stderr).to.equal(0);
    return stdout;
  };
  const live = async () => {
    const directory = path.join(dataDir, 'snapshots', (await readPointer(dataDir))[0]!);
    expect(readdirSync(directory)).to.include('graph.usearch').and.not.include('graph.hnsw');
    return loadSnapshot(directory, { fingerprint, dims });
  };
  /** Expects a search by a creative's own vector to find it first. */
  const expectFound = async (...of: readonly number[]): Promise<void> => {
    const { search, creatives } = await live();
    for (const at of of) {
      const { near } = await search.nearest(vectors.slice(at * dims, (at + 1) * dims), 1, []);
      expect(creatives[near[0]!.label]!.id).to.equal(`item-${at}`);
    }
  };

  it('has its graph continued, whatever the order of its rows', async () => {
    const out = await index(rows.slice(0, SIZE).toReversed());
    expect(out).to.match(/graph continued, 0 placed in it/);
    expect((await live()).creatives.length).to.equal(SIZE);
    await expectFound(0, 7, SIZE - 1);
  });

  it('has new creatives placed in it where others left', async () => {
    const out = await index(rows.filter((_, at) => at < SIZE && at % 1000 !== 5).concat(rows.slice(SIZE)));
    expect(out).to.match(/graph continued, (\d\d) placed in it/);
    expect(out).to.match(/recall@10 against exact search: (1\.000|0\.99)/);
    // The line is the feed's, whatever the place in the catalogue.
    expect(out).to.match(new RegExp(`new +60 +item-${SIZE} \\(line ${SIZE - 21 + 1}\\)`));
    const { creatives, search } = await live();
    expect(search.size).to.equal(SIZE - 21 + 60);
    expect(creatives[0]!.id).to.equal('item-0');
    expect(creatives[5]!.id).to.equal(`item-${SIZE}`);
    await expectFound(6, SIZE, KNOWN - 1);
  });

  it('gives the same snapshot if nothing changed', async () => {
    const [before] = await readPointer(dataDir);
    const out = await index(rows.filter((_, at) => at < SIZE && at % 1000 !== 5).concat(rows.slice(SIZE)));
    expect(out).to.include(`Published ${before} (the same as before)`);
  });
});
