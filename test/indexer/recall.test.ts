import { expect } from 'chai';
import { measureRecall, refuseLowRecall } from '../../indexer/recall.js';
import { FeedRefusedError } from '../../indexer/accept-feed.js';
import { buildGraph, catalogueIndex } from '../../models/index/graph.js';
import { exactIndex } from '../../models/index/vector-index.js';

describe('recall against exact search', () => {
  const DIMS = 16;
  const SIZE = 1500;
  /** The same vectors for the same seed. */
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

  it('is 1 for the exact search itself, and for an empty catalogue', async () => {
    expect(await measureRecall(exactIndex(vectors(1), DIMS), vectors(1), DIMS)).to.equal(1);
    expect(await measureRecall(exactIndex(new Float32Array(), DIMS), new Float32Array(), DIMS)).to.equal(1);
  });

  it('is high for the graph over the same vectors, which is accepted', async () => {
    const recall = await measureRecall(
      catalogueIndex(buildGraph(vectors(1), DIMS), vectors(1), DIMS),
      vectors(1),
      DIMS,
    );
    expect(recall).to.be.greaterThan(0.95);
    refuseLowRecall(recall);
  });

  it('is low for a graph over other vectors, which is refused', async () => {
    const recall = await measureRecall(
      catalogueIndex(buildGraph(vectors(7), DIMS), vectors(7), DIMS),
      vectors(1),
      DIMS,
    );
    expect(recall).to.be.lessThan(0.95);
    expect(() => refuseLowRecall(recall)).to.throw(FeedRefusedError, /below 0\.95; nothing was published/);
  });
});
