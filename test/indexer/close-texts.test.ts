import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { buildSnapshot } from '../../indexer/build-snapshot.js';
import { createProgress } from '../../indexer/progress.js';
import { LARGE_FROM } from '../../models/snapshot/layout.js';
import type { StoredCatalogue } from '../../models/snapshot/load-snapshot.js';
import { clusteredVectors } from '../support/clustered-vectors.js';
import { testCreative } from '../support/test-snapshot.js';
import { randomNumbers } from '../support/plausible-month.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const DIMS = 16;

describe('a large catalogue of nearly identical texts', function () {
  this.timeout(180_000);
  const folder = temporaryDirectory();
  let live: StoredCatalogue;
  after(() => rmSync(folder, { recursive: true }));

  const source = {
    name: 'made',
    fingerprint: 'made',
    dims: DIMS,
    workers: 1,
    pictures: null,
    multilingual: null,
    open: () => Promise.reject(new Error('nothing is to be embedded')),
  };
  /** Builds and keeps a snapshot of these vectors. */
  const build = async (vectors: Float32Array, before: StoredCatalogue | null) => {
    const out = new PassThrough();
    let printed = '';
    out.on('data', (piece: Buffer) => (printed += piece.toString()));
    const draft = await buildSnapshot(
      folder,
      {
        name: 'close',
        builtAt: new Date(0).toISOString(),
        source: { format: 'made', digest: '0'.repeat(64) },
        creatives: Array.from({ length: vectors.length / DIMS }, (_, at) => testCreative(`c${at}`)),
        first: { source, vectors },
        pictures: null,
        multilingual: null,
      },
      before,
      createProgress(out, process.stderr),
    );
    await draft.keep();
    return { snapshot: draft.snapshot, printed };
  };

  it('is published with a graph over 32-bit vectors, since 8-bit ones do not distinguish the texts', async () => {
    const { snapshot, printed } = await build(closeVectors(LARGE_FROM), null);
    expect(snapshot.manifest.files).to.have.property('graph.hnsw');
    expect(snapshot.search.size).to.equal(LARGE_FROM);
    expect(printed).to.match(
      /exact search: 0\.[0-8].*\nRecall is too low over vectors of 8 bits; .*\nBuilding: .* graph built anew.*\n.*exact search: (1\.000|0\.9[5-9])/,
    );
    live = snapshot;
  });

  it('has that graph continued if little changed, without trying usearch', async () => {
    const vectors = closeVectors(LARGE_FROM);
    vectors.set(closeVectors(1, 2), 5 * DIMS);
    const { snapshot, printed } = await build(vectors, live);
    expect(printed).to.match(/^Building: .* graph continued, 1 placed in it.*\nRecall: .*\n$/);
    expect(snapshot.manifest.files).to.have.property('graph.hnsw');
    const { near } = await snapshot.search.nearest(closeVectors(1, 2), 1, []);
    expect(near[0]!.label).to.equal(5);
  });

  it('has a graph over 8-bit vectors again once other texts replace them', async () => {
    const { snapshot, printed } = await build(clusteredVectors(LARGE_FROM, DIMS, 300), live);
    expect(printed).to.not.include('too low');
    expect(snapshot.manifest.files).to.have.property('graph.usearch');
  });

  it('continues the graph that it had before it was large', async () => {
    const small = await build(closeVectors(LARGE_FROM - 50), null);
    const { printed } = await build(closeVectors(LARGE_FROM), small.snapshot);
    expect(printed).to.match(
      /^Building: .* graph built anew.*\n.*\nRecall is too low over vectors of 8 bits; .*\nBuilding: .* graph continued, 50 placed in it/,
    );
  });
});

/** Makes vectors within a hundredth of one vector: less than a step of 8 bits. */
function closeVectors(size: number, seed = 1): Float32Array {
  const random = randomNumbers(seed);
  const vectors = new Float32Array(new SharedArrayBuffer(4 * size * DIMS));
  for (let label = 0; label < size; label++) {
    const row = Array.from({ length: DIMS }, (_, dim) => (dim % 2 === 0 ? 0.25 : -0.25) + 0.01 * (random() - 0.5));
    const length = Math.hypot(...row);
    vectors.set(
      row.map((value) => value / length),
      label * DIMS,
    );
  }
  return vectors;
}
