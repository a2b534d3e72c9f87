import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openCluster } from '../../../platform/cluster/cluster.js';
import type { CatalogueSearch, SearchFilter } from '../../../models/index/catalogue-search.js';
import { exactIndex } from '../../../models/index/vector-index.js';
import { MAX_COMPARED } from '../../../models/pgvector/pgvector-search.js';
import { openVectorStore, type VectorStore } from '../../../models/pgvector/vector-store.js';
import { syntheticVectors } from '../../bench/synthetic-vectors.js';
import { testCreative } from '../../support/test-snapshot.js';
import { databaseWithPgvector } from '../../support/pgvector.js';
import type { TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const DIMS = 48;
const SIZE = 3000;
const SMALL = 200;
const CATEGORIES = Array.from({ length: 10 }, (_, at) => `Kind ${at}`);
const K = 50;

describe('the search in PostgreSQL', function () {
  this.timeout(120_000);
  const dataDir = temporaryDirectory();
  const vectors = syntheticVectors(SIZE, DIMS);
  const creatives = Array.from({ length: SIZE }, (_, at) =>
    testCreative(`c${at}`, {
      categories: [CATEGORIES[at % 10]!],
      advertiser: at % 7 === 0 ? null : `Shop ${at % 20}`,
      ...(at % 3 === 0 ? {} : { language: at % 3 === 1 ? 'en-GB' : 'nb' }),
      ...(at % 4 === 0 ? {} : { countries: at % 4 === 1 ? ['NO'] : ['GB', 'IE'] }),
    }),
  );
  const exact = exactIndex(vectors, DIMS);
  const queryAt = (label: number): Float32Array => vectors.slice(label * DIMS, (label + 1) * DIMS);
  let database: TemporaryDatabase | undefined;
  before(async function () {
    database = await databaseWithPgvector(this);
    await (await openCluster({ url: database.url, dataDir })).close();
    writeFileSync(path.join(dataDir, 'vectors.f32'), new Uint8Array(vectors.buffer));
  });
  after(async () => {
    await database?.drop();
    rmSync(dataDir, { recursive: true });
  });

  const quiet = { info: () => undefined, error: () => undefined };
  const open = (store: VectorStore, snapshot: string, size = SIZE): Promise<CatalogueSearch> =>
    store.open({
      snapshot,
      part: 'vectors',
      file: path.join(dataDir, 'vectors.f32'),
      dims: DIMS,
      creatives: creatives.slice(0, size),
    });

  const versions = [
    ['as it is', {}],
    ['as before 0.8, without iterative scans', { iterative: false }],
    ['as before 0.7, without half precision', { iterative: false, halfPrecision: false }],
  ] as const;
  for (const [at, [version, without]] of versions.entries()) {
    describe(`with pgvector ${version}`, () => {
      let store: VectorStore;
      let search: CatalogueSearch;
      before(async () => {
        store = await openVectorStore({ url: database!.url, log: quiet, without });
        search = await open(store, `large${at}`);
      });
      after(() => store.close());

      /** Returns the recall over 40 queries, and checks that each returns as many as exist, with exact cosines. */
      const recall = async (filter?: SearchFilter): Promise<number> => {
        let found = 0;
        let all = 0;
        for (let query = 0; query < 40; query++) {
          const vector = queryAt(query * 71);
          const truth = exact.search(vector, K, filter?.accept);
          const { near, rows } = await search.nearest(vector, K, [], filter);
          expect(near).to.have.length(truth.length);
          const cosines = new Map(truth.map(({ label, similarity }) => [label, similarity]));
          for (const { label, similarity } of near) {
            expect(rows.vectors.subarray(rows.from(label), rows.from(label) + DIMS)).to.deep.equal(queryAt(label));
            if (cosines.has(label)) expect(similarity).to.equal(cosines.get(label));
          }
          found += near.filter(({ label }) => cosines.has(label)).length;
          all += truth.length;
        }
        return found / all;
      };

      it('finds nearly everything that the exact scan finds', async () => expect(await recall()).to.be.at.least(0.99));

      it('finds the nearest accepted creatives for any filter that the database does not know, however narrow', async () => {
        for (const modulo of [2, 10, 100, 1500]) {
          const accept = (label: number): boolean => label % modulo === 0;
          expect(await recall({ accept }), `one of ${modulo}`).to.be.at.least(0.99);
        }
        // Also if the filter accepts none.
        await recall({ accept: () => false });
      });

      it('compares with all accepted creatives if the filter rejects the nearest thousand', async () => {
        const query = queryAt(4);
        const refused = new Set(exact.search(query, 1100).map(({ label }) => label));
        const accept = (label: number): boolean => !refused.has(label);
        const { near } = await search.nearest(query, K, [], { accept });
        // Half precision may swap two that are this close.
        const truth = exact.search(query, K + 2, accept).map(({ label }) => label);
        expect(near).to.have.length(K);
        expect(truth).to.include.members(near.map(({ label }) => label));
      });

      for (const country of [null, 'GB']) {
        it(`lets the database apply exclusions, of readers in ${country ?? 'an unknown country'} too`, async () => {
          const categories = CATEGORIES.slice(1).map((name) => name.toLowerCase());
          const exclusions = () => ({
            categories,
            advertisers: ['shop 10'],
            languagesOtherThan: ['no'],
            countriesOtherThan: country,
          });
          const accept = (label: number): boolean => {
            const { advertiser, language, countries } = creatives[label]!;
            const isExcluded = label % 10 !== 0 || advertiser === 'Shop 10' || language === 'en-GB';
            return !isExcluded && (countries?.includes(country ?? '') ?? true);
          };
          expect(await recall({ accept, exclusions })).to.be.at.least(0.99);
          if (!store.pgvector.iterative) return;
          // The filter is not even called for excluded creatives.
          const asked = new Set<number>();
          await search.nearest(queryAt(4), 5, [], { accept: (label) => (asked.add(label), accept(label)), exclusions });
          expect(asked.size).to.be.above(0);
          expect([...asked].filter((label) => !accept(label))).to.deep.equal([]);
        });
      }

      it('also returns the rows of other requested labels, in their order up to k', async () => {
        const { near, rows } = await search.nearest(queryAt(9), 3, [9, 11, 12, 13, 14]);
        expect(near[0]).to.deep.include({ label: 9 });
        const others = [11, 12, 13].map((label) => rows.vectors[rows.from(label)]);
        expect(others).to.deep.equal([11, 12, 13].map((label) => vectors[label * DIMS]));
      });

      it('compares with all creatives of a small catalogue', async () => {
        const small = await open(store, `small${at}`, SMALL);
        const accept = (label: number): boolean => label % 2 === 0;
        const truth = exactIndex(vectors.subarray(0, SMALL * DIMS), DIMS).search(queryAt(7), K, accept);
        expect((await small.nearest(queryAt(7), K, [], { accept })).near.map(({ label }) => label)).to.have.members(
          truth.map(({ label }) => label),
        );
      });
    });
  }

  it('compares one by one only as many as a match can wait for', async () => {
    const store = await openVectorStore({ url: database!.url, log: quiet });
    const size = MAX_COMPARED + 1200;
    const many = syntheticVectors(size, 8);
    const file = path.join(dataDir, 'many.f32');
    writeFileSync(file, new Uint8Array(many.buffer));
    const part = { snapshot: 'many', part: 'vectors', file, dims: 8 };
    const search = await store.open({ ...part, creatives: Array.from({ length: size }, () => creatives[0]!) });
    const query = many.slice(0, 8);
    const nearest = exactIndex(many, 8).search(query, 1100);
    const refused = new Set(nearest.slice(3).map(({ label }) => label));
    const accept = (label: number): boolean => !refused.has(label);
    const { near } = await search.nearest(query, K, [], { accept });
    await store.close();
    expect(near.map(({ label }) => label)).to.include.members(nearest.slice(0, 3).map(({ label }) => label));
    expect(near.filter(({ label }) => !accept(label))).to.deep.equal([]);
    // Comparing all of them would give fifty.
    expect(near.length).to.be.below(K);
  });
});
