import { exactIndex } from '../../models/index/vector-index.js';
import { buildGraph } from '../../models/index/graph.js';
import { syntheticVectors } from './synthetic-vectors.js';
import { duration, table } from './table.js';

const DIMS = 384;
const QUERIES = 200;
const DEPTH = 50;

/** Compares an exact scan with the graph by catalogue size, to find from which size on the graph is faster. */
export function benchSearch(sizes: readonly number[] = [300, 1000, 3000, 6000]): string {
  const rows = sizes.map((size) => {
    const vectors = syntheticVectors(size, DIMS);
    const exact = exactIndex(vectors, DIMS);
    const graph = buildGraph(vectors, DIMS);
    const queries = Array.from({ length: QUERIES }, (_, at) =>
      vectors.slice((at % size) * DIMS, ((at % size) + 1) * DIMS),
    );
    const truth = timed(() => queries.map((query) => exact.search(query, DEPTH)));
    const found = timed(() => queries.map((query) => graph.nearest(query, DEPTH)));
    const recall = found.result.map((list, at) => {
      const right = new Set(truth.result[at]!.map(({ label }) => label));
      return list.filter(({ label }) => right.has(label)).length / Math.min(DEPTH, size);
    });
    return [
      size.toLocaleString('en'),
      duration(truth.ms / QUERIES),
      duration(found.ms / QUERIES),
      (truth.ms / found.ms).toFixed(1),
      (recall.reduce((sum, share) => sum + share, 0) / QUERIES).toFixed(3),
    ];
  });
  return table(['creatives', 'exact scan', 'graph', 'ratio', `recall@${DEPTH}`], rows);
}

function timed<T>(work: () => T): { readonly ms: number; readonly result: T } {
  const begun = performance.now();
  const result = work();
  return { ms: performance.now() - begun, result };
}
