import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { memorySearch } from '../../../models/index/catalogue-search.js';
import { buildGraph, catalogueIndex, type Graph, loadGraph } from '../../../models/index/graph.js';
import { openGraphFile } from '../../../models/index/graph-file.js';
import { updateGraph } from '../../../models/index/update-graph.js';
import { measureRecall } from '../../../indexer/recall.js';
import { randomNumbers } from '../../support/plausible-month.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const DIMS = 24;
const PARAMETERS = { dims: DIMS, links: 16, buildWidth: 200 };

describe('an updated graph', function () {
  this.timeout(60_000);
  const folder = temporaryDirectory();
  const file = path.join(folder, 'graph.hnsw');
  const random = randomNumbers(1);
  after(() => rmSync(folder, { recursive: true }));

  const readBytes = async (): Promise<ArrayBuffer> => new Uint8Array(await readFile(file)).buffer;
  const build = (rows: readonly Float32Array[]): Promise<void> => buildGraph(flat(rows), DIMS).save(file);
  const update = async (rows: readonly Float32Array[]) => updateGraph(await readBytes(), flat(rows), DIMS, file);
  const load = (): Promise<Graph> => loadGraph(file, DIMS);
  /** Returns whether a search for each row's vector finds that row's label first. */
  const findsAll = async (rows: readonly Float32Array[]): Promise<boolean> => {
    const graph = await load();
    return graph.size === rows.length && rows.every((row, label) => graph.nearest(row, 1)[0]?.label === label);
  };

  it('contains the new vectors under labels of the new order, and none of the removed ones', async () => {
    const rows = unitRows(2000, random);
    await build(rows);
    const fresh = unitRows(100, random);
    const gone = rows.slice(0, 100);
    const next = shuffled([...rows.slice(100), ...fresh], random);
    expect(await update(next)).to.deep.equal({ kept: 1900, placed: 100 });
    expect(await findsAll(next)).to.equal(true);
    const graph = await load();
    for (const row of gone) {
      const found = graph.nearest(row, 10);
      expect(found).to.have.length(10);
      // The similarity is that of the new vector with this label.
      for (const { label, similarity } of found) expect(cosine(next[label]!, row)).to.be.closeTo(similarity, 1e-5);
      expect(found[0]!.similarity).to.be.below(0.9999);
    }
    const labels = graph.nearest(next[0]!, next.length).map(({ label }) => label);
    expect(labels.toSorted((a, b) => a - b)).to.deep.equal([...next.keys()]);
  });

  it('is byte-identical if nothing changed, and after moving vectors to other labels and back', async () => {
    const rows = unitRows(800, random);
    await build(rows);
    const before = await readFile(file);
    await update(rows);
    expect((await readFile(file)).equals(before)).to.equal(true);
    await update(rows.toReversed());
    expect(await findsAll(rows.toReversed())).to.equal(true);
    await update(rows);
    expect((await readFile(file)).equals(before)).to.equal(true);
  });

  it('has a point for each of several equal vectors', async () => {
    const rows = unitRows(600, random);
    const twins = [rows[5]!, rows[5]!, rows[5]!];
    await build([...rows, ...twins]);
    const next = [...twins.slice(1), ...rows.slice(1), rows[7]!];
    expect(await update(next)).to.deep.equal({ kept: 601, placed: 1 });
    const graph = await load();
    const twinLabels = graph.nearest(rows[5]!, 3).map(({ label }) => label);
    expect(twinLabels).to.deep.equal([0, 1, 6]);
    expect(graph.nearest(rows[7]!, 2).map(({ label }) => label)).to.deep.equal([8, 601]);
  });

  it('keeps its recall and size through 30 updates of 3 %', async () => {
    let rows = unitRows(2000, random);
    await build(rows);
    const { size } = await stat(file);
    const fresh = await recallOf(await load(), rows);
    for (let round = 0; round < 30; round++) {
      rows = shuffled([...rows.slice(60), ...unitRows(60, random)], random);
      expect(await update(rows)).to.deep.equal({ kept: 1940, placed: 60 });
    }
    expect(await recallOf(await load(), rows)).to.be.above(fresh - 0.01);
    expect((await stat(file)).size).to.be.below(size * 1.01);
    expect(await findsAll(rows)).to.equal(true);
  });

  it('still finds all vectors after most of a neighbourhood is removed', async () => {
    const crowd = around(unitRows(1, random)[0]!, 200, random);
    const rows = [...unitRows(1800, random), ...crowd];
    await build(rows);
    const next = [...rows.slice(0, 1800), ...crowd.slice(190)];
    await update(next);
    expect(await findsAll(next)).to.equal(true);
  });

  it('is not written if more than a fifth of the vectors is new or gone', async () => {
    const rows = unitRows(1000, random);
    await build(rows);
    const before = await readFile(file);
    expect(await update([...rows.slice(201), ...unitRows(201, random)])).to.equal(null);
    expect(await update(rows.slice(200))).to.equal(null);
    expect(await update([...rows, ...unitRows(260, random)])).to.equal(null);
    expect((await readFile(file)).equals(before)).to.equal(true);
    expect(await update(rows.slice(100))).to.deep.equal({ kept: 900, placed: 0 });
  });

  it('is not written once many small updates have left too few points above the ground level', async () => {
    let rows = unitRows(600, random);
    await build(rows);
    let rounds = 0;
    for (let next = rows; rounds < 300; rounds++) {
      next = [...rows.slice(6), ...unitRows(6, random)];
      if ((await update(next)) === null) break;
      rows = next;
    }
    expect(rounds).to.be.within(20, 200);
    const graph = openGraphFile(await readBytes(), PARAMETERS);
    const upper = Array.from({ length: graph.points }, (_, point) => graph.levelOf(point)).filter((level) => level > 0);
    expect(upper.length).to.be.within(12, 30);
  });

  it('is rejected if the file is not a graph of these dims and parameters', async () => {
    const rows = unitRows(600, random);
    await build(rows);
    const bytes = await readBytes();
    const open = (other: Partial<typeof PARAMETERS>) => () => openGraphFile(bytes, { ...PARAMETERS, ...other });
    expect(openGraphFile(bytes, PARAMETERS).points).to.equal(600);
    expect(open({ links: 8 })).to.throw('size of a point');
    expect(open({ buildWidth: 100 })).to.throw('build width: 200, not 100');
    expect(open({ dims: 25 })).to.throw('size of a point');
    expect(() => openGraphFile(bytes.slice(0, 4096), PARAMETERS)).to.throw('cut short');
    expect(() => openGraphFile(new ArrayBuffer(0), PARAMETERS)).to.throw('not a saved graph');
    const words = new Uint32Array(bytes);
    words[25] = 600;
    expect(() => openGraphFile(bytes, PARAMETERS)).to.throw('has an invalid link at point 0');
  });

  async function recallOf(graph: Graph, rows: readonly Float32Array[]): Promise<number> {
    const all = flat(rows);
    return measureRecall(memorySearch(catalogueIndex(graph, all, DIMS), all, DIMS), all, DIMS);
  }
});

function unitRows(count: number, random: () => number): Float32Array[] {
  return Array.from({ length: count }, () => unit(Float32Array.from({ length: DIMS }, () => random() - 0.5)));
}

function around(centre: Float32Array, count: number, random: () => number): Float32Array[] {
  return Array.from({ length: count }, () => unit(centre.map((value) => value + 0.02 * (random() - 0.5))));
}

function unit(row: Float32Array): Float32Array {
  const length = Math.hypot(...row);
  return row.map((value) => value / length);
}

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * other[at]!, 0);
}

function flat(rows: readonly Float32Array[]): Float32Array {
  const vectors = new Float32Array(rows.length * DIMS);
  for (const [at, row] of rows.entries()) vectors.set(row, at * DIMS);
  return vectors;
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
