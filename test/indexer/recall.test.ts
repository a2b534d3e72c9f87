import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { measureRecall, refuseLowRecall } from '../../indexer/recall.js';
import { FeedRefusedError } from '../../indexer/accept-feed.js';
import { memorySearch } from '../../models/index/catalogue-search.js';
import { buildGraph, catalogueIndex } from '../../models/index/graph.js';
import { exactIndex } from '../../models/index/vector-index.js';
import { watchProcess } from '../support/child-process.js';

describe('recall against exact search', () => {
  const DIMS = 16;
  const SIZE = 1500;
  /** Makes the same vectors for the same seed. */
  const vectors = (seed: number): Float32Array => {
    const made = new Float32Array(SIZE * DIMS);
    for (let label = 0; label < SIZE; label++) {
      const row = Array.from({ length: DIMS }, (_, dim) =>
        Math.sin((label + 1) * (dim + seed) * 12.9898 + label * seed),
      );
      const length = Math.hypot(...row);
      for (const [dim, value] of row.entries()) made[label * DIMS + dim] = value / length;
    }
    return made;
  };

  const exactSearch = (all: Float32Array) => memorySearch(exactIndex(all, DIMS), all, DIMS);
  const graphSearch = (all: Float32Array) => memorySearch(catalogueIndex(buildGraph(all, DIMS), all, DIMS), all, DIMS);

  it('is 1 for the exact search itself, and for an empty catalogue', async () => {
    expect(await measureRecall(exactSearch(vectors(1)), vectors(1), DIMS)).to.equal(1);
    expect(await measureRecall(exactSearch(new Float32Array()), new Float32Array(), DIMS)).to.equal(1);
  });

  it('is high for a graph over the same vectors, which is accepted', async () => {
    const recall = await measureRecall(graphSearch(vectors(1)), vectors(1), DIMS);
    expect(recall).to.be.greaterThan(0.95);
    refuseLowRecall(recall);
  });

  it('is low for a graph over other vectors, which is refused', async () => {
    const recall = await measureRecall(graphSearch(vectors(7)), vectors(1), DIMS);
    expect(recall).to.be.lessThan(0.95);
    expect(() => refuseLowRecall(recall)).to.throw(FeedRefusedError, /below 0\.95; nothing was published/);
  });

  it('of a large catalogue lets the process exit with its own status', async function () {
    this.timeout(120_000);
    const child = fileURLToPath(new URL('recall-exit-child.js', import.meta.url));
    for (const afterMs of [60, 90, 120, 150, 200, 300]) {
      const { code, signal, stderr } = await watchProcess(spawn(process.execPath, [child, String(afterMs)])).ended;
      expect({ code, signal, stderr }, `after ${afterMs} ms`).to.deep.equal({ code: 7, signal: null, stderr: '' });
    }
  });
});
