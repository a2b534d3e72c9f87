import { expect } from 'chai';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { buildSnapshot } from '../../indexer/build-snapshot.js';
import { createProgress } from '../../indexer/progress.js';
import { LARGE_FROM } from '../../models/snapshot/layout.js';
import { madeCreative } from '../support/made-snapshot.js';
import { randomNumbers } from '../support/plausible-month.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const DIMS = 16;

describe('a large catalogue of nearly one text', function () {
  this.timeout(180_000);
  const folder = temporaryDirectory();
  after(() => rmSync(folder, { recursive: true }));

  it('is published with a graph over vectors of 32 bits, since those of 8 do not tell them apart', async () => {
    const out = new PassThrough();
    let printed = '';
    out.on('data', (piece: Buffer) => (printed += piece.toString()));
    const source = {
      name: 'made',
      fingerprint: 'made',
      dims: DIMS,
      workers: 1,
      multilingual: null,
      open: () => Promise.reject(new Error('nothing is to be embedded')),
    };
    const draft = await buildSnapshot(
      folder,
      {
        name: 'close',
        builtAt: new Date(0).toISOString(),
        source: { format: 'made', digest: '0'.repeat(64) },
        creatives: Array.from({ length: LARGE_FROM }, (_, at) => madeCreative(`c${at}`)),
        first: { source, vectors: closeVectors(LARGE_FROM) },
        multilingual: null,
      },
      null,
      createProgress(out, process.stderr),
    );
    await draft.keep();
    expect(readdirSync(path.join(folder, 'snapshots', draft.snapshot.id))).to.include('graph.hnsw');
    expect(draft.snapshot.search.size).to.equal(LARGE_FROM);
    expect(printed).to.match(
      /exact search: 0\.[0-8].*\nRecall is too low over vectors of 8 bits; .*\nBuilding: .* graph built anew.*\n.*exact search: (1\.000|0\.9[5-9])/,
    );
  });
});

/** Within a hundredth of one vector, less than a step of 8 bits. */
function closeVectors(size: number): Float32Array {
  const random = randomNumbers(1);
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
