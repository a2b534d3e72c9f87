import { expect } from 'chai';
import fc from 'fast-check';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import {
  type CatalogueSearch,
  type Exclusions,
  SearchUnavailableError,
} from '../../../models/index/catalogue-search.js';
import { exactIndex } from '../../../models/index/vector-index.js';
import { buildLargeGraph } from '../../../models/usearch/large-graph.js';
import { MAX_COMPARED, openLargeSearch } from '../../../models/usearch/large-search.js';
import { clusteredVectors } from '../../support/clustered-vectors.js';
import { testCreative } from '../../support/test-snapshot.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const DIMS = 32;
const SIZE = 4000;
/** Excludes nothing: all creatives here that are for certain countries are for France. */
const NONE: Exclusions = { categories: [], advertisers: [], languagesOtherThan: null, countriesOtherThan: 'FR' };

describe('the search of a large catalogue', () => {
  const folder = temporaryDirectory();
  const file = path.join(folder, 'graph.usearch');
  const vectors = clusteredVectors(SIZE, DIMS, 40);
  const exact = exactIndex(vectors, DIMS);
  const creatives = Array.from({ length: SIZE }, (_, at) =>
    testCreative(`c${at}`, {
      categories: at % 10 === 1 ? ['Garden', 'Tools'] : [],
      advertiser: at % 10 === 2 ? 'Green & Sons' : null,
      ...(at % 10 === 3 ? { language: 'de-AT' } : at % 10 === 4 ? { language: 'en' } : {}),
      ...(at % 10 === 5 ? { countries: ['FR', 'GB'] } : at % 10 === 8 ? { countries: ['FR'] } : {}),
    }),
  );
  const options = { file, dims: DIMS, vectors, creatives };
  const query = (label: number) => vectors.slice(label * DIMS, (label + 1) * DIMS);
  let search: CatalogueSearch;

  before(async () => {
    buildLargeGraph({ vectors, dims: DIMS, file });
    search = await openLargeSearch(options);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('finds nearly everything that an exact search finds, with exact cosines, best first', async () => {
    let found = 0;
    for (let label = 0; label < SIZE; label += 50) {
      const truth = exact.search(query(label), 10);
      const { near, rows } = await search.nearest(query(label), 10, []);
      const alike = near.filter((one) => truth.some((other) => other.label === one.label));
      for (const one of alike) expect(truth).to.deep.include(one);
      found += alike.length;
      expect(near).to.deep.equal(near.toSorted((a, b) => b.similarity - a.similarity || a.label - b.label));
      // Not the query's own row: the graph, which is built in parallel, may miss it once in a thousand.
      const nearest = near[0]!.label;
      const from = rows.from(nearest);
      expect(rows.vectors.slice(from, from + DIMS)).to.deep.equal(query(nearest));
    }
    expect(found / (10 * (SIZE / 50))).to.be.above(0.99);
  });

  it('returns as many results as an exact search for any filter', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(SIZE - 1),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 800 }),
        fc.nat(799),
        async (label, k, every, offset) => {
          const accept = (candidate: number) => candidate % every === offset % every;
          const truth = exact.search(query(label), k, accept);
          const { near } = await search.nearest(query(label), k, [], { accept });
          expect(near).to.have.length(truth.length);
          expect(near.every((neighbour) => accept(neighbour.label))).to.equal(true);
          // So few are compared one by one.
          if (every > 600) expect(near).to.deep.equal(truth);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('fetches few more candidates than a filter needs that four in ten pass', async () => {
    for (let label = 0; label < SIZE; label += 100) {
      let asked = 0;
      const accept = (candidate: number): boolean => {
        asked++;
        return candidate % 5 < 2;
      };
      const { near } = await search.nearest(query(label), 50, [], { accept });
      expect(near).to.have.length(50);
      expect(asked).to.be.within(100, 600);
    }
  });

  it('does not test excluded creatives once the nearest thousand are too few', async () => {
    const isExcluded: Readonly<Record<string, { readonly exclusions: Partial<Exclusions>; readonly residue: number }>> =
      {
        category: { exclusions: { categories: ['tools'] }, residue: 1 },
        advertiser: { exclusions: { advertisers: ['green & sons'] }, residue: 2 },
        language: { exclusions: { languagesOtherThan: ['en'] }, residue: 3 },
        country: { exclusions: { countriesOtherThan: 'GB' }, residue: 8 },
      };
    for (const { exclusions, residue } of Object.values(isExcluded)) {
      for (const round of [1, 2]) {
        const asked = new Map<number, number>();
        // Accepts some two hundred of those that remain.
        const accept = (label: number): boolean => {
          asked.set(label, (asked.get(label) ?? 0) + 1);
          return label % 10 !== residue && label % 19 === 0;
        };
        const all = { ...NONE, ...exclusions };
        const { near } = await search.nearest(query(9), 180, [], { accept, exclusions: () => all });
        expect(near).to.deep.equal(exact.search(query(9), 180, (label) => label % 10 !== residue && label % 19 === 0));
        const labels = Array.from(creatives.keys());
        expect(labels.filter((label) => label % 10 !== residue).every((label) => asked.has(label))).to.equal(true);
        // Excluded creatives among the nearest were tested before.
        const beyond = labels.filter((label) => label % 10 === residue && asked.has(label));
        expect(beyond.length, `round ${round}`).to.be.below(200);
      }
    }
  });

  it('limits how many creatives it tests for a filter that accepts thousands, and keeps near ones', async () => {
    const size = MAX_COMPARED + 4000;
    const many = { file: path.join(folder, 'many.usearch'), dims: DIMS, vectors: clusteredVectors(size, DIMS, 40) };
    buildLargeGraph(many);
    const all = Array.from({ length: size }, (_, at) => creatives[at % SIZE]!);
    const wide = await openLargeSearch({ ...many, creatives: all });
    // Comes after all that are compared one by one.
    const label = size - 1;
    const asking = many.vectors.slice(label * DIMS, (label + 1) * DIMS);
    const nearest = exactIndex(many.vectors, DIMS).search(asking, 1200);
    const refused = new Set(nearest.slice(1).map((each) => each.label));
    let asked = 0;
    const accept = (candidate: number): boolean => {
      asked++;
      return !refused.has(candidate);
    };
    const { near } = await wide.nearest(asking, 10, [], { accept });
    expect(near).to.have.length(10);
    expect(near[0]!.label).to.equal(label);
    expect(near.filter((each) => refused.has(each.label))).to.deep.equal([]);
    // Tests the nearest in two fetches, then as many as it compares, plus the rejected ones among them.
    expect(asked).to.be.within(MAX_COMPARED, 1100 + MAX_COMPARED + refused.size);
  });

  it('fails to open a file that is not a graph or has another number of vectors', async () => {
    const bad = path.join(folder, 'bad.usearch');
    writeFileSync(bad, 'no graph');
    const failed = async (open: Promise<unknown>): Promise<string> =>
      open.then(
        () => 'opened',
        (error: Error) => error.message,
      );
    expect(await failed(openLargeSearch({ ...options, file: bad }))).to.equal('is not a saved graph');
    const wide = clusteredVectors(SIZE, 2 * DIMS, 40);
    expect(await failed(openLargeSearch({ ...options, dims: 2 * DIMS, vectors: wide }))).to.equal(
      'has vectors of 32 dimensions, not 64',
    );
    expect(await failed(openLargeSearch({ ...options, creatives: creatives.slice(1) }))).to.equal('holds 4000 vectors');
  });

  it('fails if its thread dies, warns, and starts another thread a second later', async () => {
    const started: Worker[] = [];
    let at = 0;
    const failing = await openLargeSearch({
      ...options,
      elapsed: () => at,
      spawn: (workerData) => {
        const file = started.length === 0 ? './failing-worker.js' : '../../../models/usearch/search-worker.js';
        started.push(new Worker(new URL(file, import.meta.url), { workerData }));
        return started.at(-1)!;
      },
    });
    const ended = new Promise((resolve) => started[0]!.once('exit', resolve));
    const warned = once(process, 'warning') as Promise<[Error]>;
    const refused = async (): Promise<unknown> =>
      Promise.resolve(failing.nearest(query(1), 3, [])).catch((error: unknown) => error);
    for (const outcome of await Promise.all([refused(), refused(), refused()]))
      expect(outcome).to.be.instanceOf(SearchUnavailableError);
    expect((await warned)[0].message).to.equal('The search thread ended: test failure on the first search');
    await ended;
    at += 999;
    expect(await refused()).to.be.instanceOf(SearchUnavailableError);
    at += 1;
    expect((await failing.nearest(query(5), 1, [])).near[0]!.label).to.equal(5);
    expect(started).to.have.length(2);
  });

  it('ends its thread when the search is garbage-collected', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const ends: Promise<unknown>[] = [];
    const open = async (): Promise<void> => {
      const one = await openLargeSearch({
        ...options,
        spawn: (workerData) => {
          const thread = new Worker(new URL('../../../models/usearch/search-worker.js', import.meta.url), {
            workerData,
          });
          ends.push(once(thread, 'exit'));
          return thread;
        },
      });
      await one.nearest(query(1), 1, []);
    };
    await open();
    const collecting = setInterval(collect, 20);
    // If the thread does not end, the test times out.
    await Promise.all(ends);
    clearInterval(collecting);
    expect(ends).to.have.length(1);
  });
});
