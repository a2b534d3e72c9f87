import { expect } from 'chai';
import { exactIndex } from '../../../models/index/vector-index.js';
import { newActivity, setIdle } from '../../../platform/threads/at-exit.js';
import { bestSimilarities } from '../../../models/usearch/best-similarities.js';
import { clusteredVectors } from '../../support/clustered-vectors.js';

describe('similarities computed on all cores', () => {
  const DIMS = 8;
  const SIZE = 45_001;

  it('equal those of the exact search, also for part of a shared buffer', () => {
    const made = clusteredVectors(SIZE + 1, DIMS, 900);
    const shared = new Float32Array(new SharedArrayBuffer(made.byteLength));
    shared.set(made);
    const vectors = shared.subarray(DIMS);
    const exact = exactIndex(vectors, DIMS);
    const idle = newActivity();
    setIdle(idle);
    // The first and last vectors, and some in between.
    const queries = Array.from({ length: 16 }, (_, at) => {
      const label = at * ((SIZE - 1) / 15);
      return vectors.slice(label * DIMS, (label + 1) * DIMS);
    });
    for (const [at, found] of bestSimilarities(vectors, DIMS, queries, 10, idle).entries()) {
      const truth = exact.search(queries[at]!, 10).map(({ similarity }) => similarity);
      expect(found).to.have.length(10);
      for (const [rank, similarity] of found.entries()) expect(similarity).to.be.closeTo(truth[rank]!, 1e-6);
    }
  });
});
