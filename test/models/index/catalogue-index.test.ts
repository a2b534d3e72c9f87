import { expect } from 'chai';
import fc from 'fast-check';
import { buildGraph, catalogueIndex, loadGraph } from '../../../models/index/graph.js';
import { exactIndex } from '../../../models/index/vector-index.js';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { clusteredVectors } from '../../support/clustered-vectors.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const DIMS = 32;
const SIZE = 2500;

describe('the vector index', () => {
  const vectors = clusteredVectors(SIZE, DIMS, 40);
  const exact = exactIndex(vectors, DIMS);
  const graph = buildGraph(vectors, DIMS);
  const index = catalogueIndex(graph, vectors, DIMS);
  const query = (label: number) => vectors.slice(label * DIMS, (label + 1) * DIMS);

  it('finds nearly everything that an exact search finds', async () => {
    let found = 0;
    for (let label = 0; label < SIZE; label += 50) {
      const truth = new Set(exact.search(query(label), 10).map((neighbour) => neighbour.label));
      const near = await index.search(query(label), 10);
      found += near.filter((neighbour) => truth.has(neighbour.label)).length;
    }
    expect(found / (10 * (SIZE / 50))).to.be.above(0.97);
  });

  it('returns cosines as similarities, best first', async () => {
    const neighbours = await index.search(query(7), 5);
    expect(neighbours[0]).to.include({ label: 7 });
    expect(neighbours[0]!.similarity).to.be.closeTo(1, 1e-5);
    expect(neighbours.map(({ similarity }) => similarity)).to.deep.equal(
      neighbours.map(({ similarity }) => similarity).toSorted((a, b) => b - a),
    );
  });

  it('returns as many results as an exact search for any filter', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(SIZE - 1),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 400 }),
        fc.nat(399),
        async (label, k, every, offset) => {
          const accept = (candidate: number) => candidate % every === offset % every;
          const truth = exact.search(query(label), k, accept);
          const found = await index.search(query(label), k, accept);
          expect(found).to.have.length(truth.length);
          expect(found.every((neighbour) => accept(neighbour.label))).to.equal(true);
          // Narrow filters use the exact scan, so results are identical.
          if (every > 150)
            expect(found.map((neighbour) => neighbour.label)).to.deep.equal(truth.map((neighbour) => neighbour.label));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('does not block the event loop while it compares many vectors one by one', async () => {
    const dims = 1024;
    const long = clusteredVectors(SIZE, dims, 40);
    const narrow = (label: number): boolean => label % 500 === 3;
    const query = long.slice(0, dims);
    const index = catalogueIndex(buildGraph(long, dims), long, dims);
    let turns = 0;
    const count = (): void => void (++turns < 100 && setImmediate(count));
    setImmediate(count);
    const found = index.search(query, 4, narrow);
    expect(found).to.be.instanceOf(Promise);
    expect(await found).to.deep.equal(exactIndex(long, dims).search(query, 4, narrow));
    expect(turns).to.be.within(1, 99);
  });

  it('returns the same results from a saved graph', async () => {
    const directory = temporaryDirectory();
    const file = path.join(directory, 'graph.hnsw');
    await graph.save(file);
    const loaded = await loadGraph(file, DIMS);
    expect(loaded.size).to.equal(SIZE);
    for (const label of [0, 99, 2400])
      expect(loaded.nearest(query(label), 10)).to.deep.equal(graph.nearest(query(label), 10));
    await rm(directory, { recursive: true });
  });

  it('finds nothing in an empty catalogue', () => {
    const empty = catalogueIndex(buildGraph(new Float32Array(0), DIMS), new Float32Array(0), DIMS);
    expect(empty.size).to.equal(0);
    expect(empty.search(query(0), 3)).to.deep.equal([]);
  });
});
