import { expect } from 'chai';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { exactIndex } from '../../../models/index/vector-index.js';
import { quantiseTo8Bits } from '../../../models/usearch/bytes.js';
import { buildLargeGraph, continueLargeGraph, mapLargeGraph } from '../../../models/usearch/large-graph.js';
import { clusteredVectors } from '../../support/clustered-vectors.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const DIMS = 32;
const SIZE = 3000;

describe('the graph of a large catalogue', () => {
  const folder = temporaryDirectory();
  const all = clusteredVectors(2 * SIZE, DIMS, 60);
  after(() => rmSync(folder, { recursive: true }));

  const taskOf = (rows: readonly number[], name: string) => {
    const vectors = new Float32Array(rows.length * DIMS);
    for (const [label, row] of rows.entries()) vectors.set(all.subarray(row * DIMS, (row + 1) * DIMS), label * DIMS);
    return { vectors, dims: DIMS, file: path.join(folder, name) };
  };
  type Task = ReturnType<typeof taskOf>;
  const built = (rows: readonly number[], name: string): Task => {
    const task = taskOf(rows, name);
    buildLargeGraph(task);
    return task;
  };
  /** Share of the exact search's ten nearest among the graph's sixty candidates, which a search re-ranks. */
  const recallOf = ({ vectors, file }: Task): number => {
    const graph = mapLargeGraph(file, DIMS);
    const exact = exactIndex(vectors, DIMS);
    const size = vectors.length / DIMS;
    expect(graph.size).to.equal(size);
    let [found, asked] = [0, 0];
    for (let label = 0; label < size; label += 37) {
      const query = vectors.slice(label * DIMS, (label + 1) * DIMS);
      const near = new Set(graph.nearest(query, 60));
      expect(Math.max(...near)).to.be.below(size);
      const truth = exact.search(query, 10);
      found += truth.filter((one) => near.has(one.label)).length;
      asked += truth.length;
    }
    return found / asked;
  };
  const first = Array.from({ length: SIZE }, (_, at) => at);

  it('finds nearly everything that an exact search finds, and reports its progress', () => {
    const task = taskOf(first, 'progress');
    const done: number[] = [];
    buildLargeGraph({ ...task, onProgress: (count) => done.push(count) });
    expect(recallOf(task)).to.be.above(0.99);
    expect(done).to.deep.equal([1000, 2000, 3000]);
  });

  it('stores the 8-bit vectors unchanged', () => {
    const { vectors, file } = built(first, 'bytes');
    const bytes = Buffer.from(quantiseTo8Bits(vectors, DIMS).buffer);
    const saved = readFileSync(file).subarray(8, 8 + bytes.length);
    const rowsOf = (all: Buffer): string[] =>
      first.map((at) => all.toString('hex', at * DIMS, (at + 1) * DIMS)).toSorted();
    // Threads add them in no fixed order.
    expect(rowsOf(saved)).to.deep.equal(rowsOf(bytes));
  });

  it('is continued with new and without removed vectors, and may become longer or shorter', () => {
    const before = built(first, 'before');
    const changed = first.map((row) => (row % 20 === 7 ? row + SIZE : row));
    for (const [name, rows, placed] of [
      ['changed', changed, 150],
      ['longer', [...changed, SIZE, SIZE + 1, SIZE + 2], 153],
      ['shorter', changed.slice(0, SIZE - 40), 148],
      ['same', first, 0],
    ] as const) {
      const task = taskOf(rows, name);
      expect(continueLargeGraph(before, task), name).to.equal(placed);
      expect(recallOf(task), name).to.be.above(0.99);
    }
  });

  it('keeps its recall and file size over many updates', () => {
    let rows = first;
    let task = built(rows, 'round 0');
    const { size } = statSync(task.file);
    for (let round = 1; round <= 30; round++) {
      rows = rows.map((row, label) => ((label * 7 + round) % 33 === 0 ? (row + SIZE) % (2 * SIZE) : row));
      const next = taskOf(rows, `round ${round}`);
      expect(continueLargeGraph(task, next)).to.be.above(80);
      task = next;
    }
    expect(recallOf(task)).to.be.above(0.98);
    expect(statSync(task.file).size).to.be.below(1.02 * size);
  });

  it('is not continued if more than a fifth is new, gone or empty', () => {
    const before = built(first, 'whole');
    expect(
      continueLargeGraph(
        before,
        taskOf(
          first.map((row) => (row % 4 === 0 ? row + SIZE : row)),
          'new',
        ),
      ),
    ).to.equal(null);
    expect(continueLargeGraph(before, taskOf(first.slice(0, 2000), 'gone'))).to.equal(null);
    const shorter = taskOf(first.slice(0, 2600), 'shorter once');
    expect(continueLargeGraph(before, shorter)).to.equal(0);
    expect(continueLargeGraph(shorter, taskOf(first.slice(0, 2400), 'shorter twice'))).to.equal(null);
  });

  it('is not continued from a file that is not a graph or has another number of vectors', () => {
    const before = built(first, 'good');
    const bad = path.join(folder, 'bad');
    writeFileSync(bad, Buffer.from([200, 11, 0, 0, 1, 2, 3]));
    expect(() => continueLargeGraph({ ...before, file: bad }, taskOf(first, 'a'))).to.throw('is not a saved graph');
    const half = built(first.slice(0, 2900), 'half');
    expect(() => continueLargeGraph({ ...before, file: half.file }, taskOf(first, 'b'))).to.throw(
      'holds 2900 vectors, not 3000',
    );
  });
});
