import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Cluster, openCluster } from '../../../platform/cluster/cluster.js';
import { SearchUnavailableError } from '../../../models/index/catalogue-search.js';
import { NoVectorsError } from '../../../models/pgvector/extension.js';
import { removeOtherVectorTables } from '../../../models/pgvector/vector-table.js';
import { openVectorStore, type VectorStore } from '../../../models/pgvector/vector-store.js';
import { openClient } from '../../../platform/postgres/connection.js';
import { ADJACENT_LOCKS, LOCKS } from '../../../platform/postgres/locks.js';
import { removeOutdated } from '../../../models/snapshot/retention.js';
import { KEPT_SNAPSHOTS } from '../../../models/snapshot/kept-snapshots.js';
import { snapshotDirectory } from '../../../models/snapshot/layout.js';
import { loadSnapshot, loadWithoutVectors } from '../../../models/snapshot/load-snapshot.js';
import { eventually } from '../../support/eventually.js';
import { DIMS, testCreative, publishTestSnapshot } from '../../support/test-snapshot.js';
import { databaseWithPgvector } from '../../support/pgvector.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('the tables of vectors', function () {
  this.timeout(60_000);
  const quiet = { info: () => undefined, error: () => undefined };
  let database: TemporaryDatabase | undefined;
  let cluster: Cluster;
  let stores: VectorStore[];
  beforeEach(async function () {
    database = undefined;
    database = await databaseWithPgvector(this);
    cluster = await openCluster({ url: database.url, dataDir: temporaryDirectory() });
    stores = [];
  });
  afterEach(async () => {
    if (database === undefined) return;
    await Promise.all(stores.map((store) => store.close()));
    await cluster.close();
    await database.drop();
    rmSync(cluster.dataDir, { recursive: true });
  });

  const join = async (): Promise<VectorStore> => {
    const store = await openVectorStore({ url: database!.url, log: quiet });
    stores.push(store);
    return store;
  };
  const tables = async (): Promise<string[]> => {
    const { rows } = await cluster.pool.query<{ name: string }>(
      "select relname as name from pg_class where relkind = 'r' and relname like 'vectors%' order by relname",
    );
    return rows.map(({ name }) => name);
  };
  const listed = async (): Promise<string[]> => {
    const { rows } = await cluster.pool.query<{ name: string }>('select name from vector_tables order by name');
    return rows.map(({ name }) => name);
  };
  const partOf = (snapshot: string, size = 20, dims = DIMS) => {
    const file = path.join(cluster.dataDir, `${snapshot}.f32`);
    writeFileSync(file, new Uint8Array(new Float32Array(size * dims).fill(1 / Math.sqrt(dims)).buffer));
    const creatives = Array.from({ length: size }, (_, at) => testCreative(`c${at}`));
    return { snapshot, part: 'vectors', file, dims, creatives };
  };

  it('are written once by one of several nodes, and searched by all', async () => {
    const nodes = await Promise.all([join(), join(), join()]);
    const part = partOf('abc');
    const searches = await Promise.all(nodes.map((node) => node.open(part)));
    expect(await tables()).to.deep.equal(['vectors_2_abc_vectors']);
    expect(await listed()).to.deep.equal(['vectors_2_abc_vectors']);
    for (const search of searches) {
      expect(
        (
          await search.nearest(
            Float32Array.from({ length: DIMS }, () => 0.3),
            3,
            [],
          )
        ).near,
      ).to.have.length(3);
    }
  });

  it('use the extension in whichever schema it was created', async () => {
    await cluster.pool.query('create extension vector schema public');
    const store = await join();
    expect(store.pgvector.schema).to.equal('public');
    const search = await store.open(partOf('abc', 600));
    expect((await search.nearest(new Float32Array(DIMS).fill(0.3), 3, [])).near).to.have.length(3);
  });

  it('leave nothing behind if a node ends while writing, and are then written by another', async () => {
    const [one, other] = [await join(), await join()];
    const part = partOf('abc', 6000, 384);
    const written = one.open(part).then(
      () => 'written',
      () => 'failed',
    );
    await eventually(async () => expect(await isWriteLocked()).to.equal(true), 10_000);
    await one.close();
    stores.shift();
    expect(await written).to.equal('failed');
    await other.open(part);
    expect(await tables()).to.deep.equal(await listed());
  });
  const isWriteLocked = async (): Promise<boolean> => {
    const { rows } = await cluster.pool.query('select 1 from pg_locks where classid = $1 and objid = $2', [
      ADJACENT_LOCKS,
      LOCKS.vectors,
    ]);
    return rows.length > 0;
  };

  it('are not written if the file has too few vectors', async () => {
    const store = await join();
    const part = partOf('abc');
    const message = await store.open({ ...part, dims: 2 * DIMS }).catch(String);
    expect(message).to.contain('is cut short');
    expect(await tables()).to.deep.equal([]);
  });

  it('are written again if a dump omitted them', async () => {
    const store = await join();
    await store.open(partOf('abc'));
    await cluster.pool.query('drop table vectors_2_abc_vectors');
    const search = await store.open(partOf('abc'));
    expect((await search.nearest(new Float32Array(DIMS).fill(0.3), 3, [])).near).to.have.length(3);
    expect(await listed()).to.deep.equal(['vectors_2_abc_vectors']);
  });

  it('are written again if an upgraded pgvector needs another type', async () => {
    const before = await openVectorStore({ url: database!.url, log: quiet, without: { halfPrecision: false } });
    stores.push(before);
    const part = partOf('abc', 600);
    await before.open(part);
    const now = await join();
    const search = await now.open(part);
    expect(await listed()).to.have.length(now.pgvector.halfPrecision ? 2 : 1);
    expect((await search.nearest(new Float32Array(DIMS).fill(0.3), 3, [])).near).to.have.length(3);
  });

  it('are kept for the last two written, even if their snapshots are gone', async () => {
    const store = await join();
    for (const snapshot of ['abc', 'bcd', 'cde']) await store.open(partOf(snapshot));
    await removeOtherVectorTables(cluster.pool, []);
    expect(await listed()).to.deep.equal(['vectors_2_bcd_vectors', 'vectors_2_cde_vectors']);
    expect(await tables()).to.deep.equal(await listed());
  });

  it('are not written by a closed store', async () => {
    const store = await join();
    await store.close();
    stores.pop();
    expect(await store.open(partOf('abc')).catch(String)).to.contain('is shutting down');
    expect(await tables()).to.deep.equal([]);
  });

  it('exist for each encoder of a snapshot', async () => {
    const store = await join();
    const id = await publishTestSnapshot(cluster.dataDir, 30, 'made', true, cluster);
    const directory = snapshotDirectory(cluster.dataDir, id);
    const encoder = { fingerprint: 'made', dims: DIMS, multilingual: { fingerprint: 'other', dims: DIMS } };
    const inMemory = await loadSnapshot(directory, encoder);
    const served = await loadWithoutVectors(directory, encoder, ({ creatives }, files, dims) =>
      store.open({ snapshot: id, part: files.graph, file: path.join(directory, files.vectors), dims, creatives }),
    );
    expect(await tables()).to.deep.equal([`vectors_2_${id}_graph_hnsw`, `vectors_2_${id}_multilingual_hnsw`]);
    for (const [one, other] of [
      [served, inMemory],
      [served.multilingual!, inMemory.multilingual!],
    ] as const) {
      const query = other.vectors.slice(7 * DIMS, 8 * DIMS);
      const { near } = await one.search.nearest(query, 5, []);
      expect(near).to.deep.equal((await other.search.nearest(query, 5, [])).near);
    }
    const { multilingual: _, ...english } = encoder;
    expect(
      (await loadWithoutVectors(directory, english, () => Promise.resolve(inMemory.search))).multilingual,
    ).to.equal(null);
  });

  it('are removed with their snapshots', async () => {
    const store = await join();
    const ids: string[] = [];
    for (let size = 1; size <= KEPT_SNAPSHOTS + 1; size++) {
      const id = await publishTestSnapshot(cluster.dataDir, size, 'made', false, cluster);
      const file = path.join(snapshotDirectory(cluster.dataDir, id), 'vectors.f32');
      await store.open({ ...partOf(id, size), file });
      ids.push(id);
    }
    const removed = await store.open(partOf(ids[0]!, 1));
    await removeOutdated(cluster.dataDir, Date.now(), { cluster });
    const kept = ids.slice(1).map((id) => `vectors_2_${id}_vectors`);
    expect(await listed()).to.deep.equal(kept.toSorted());
    expect(await tables()).to.deep.equal(kept.toSorted());
    const late = await Promise.resolve(removed.nearest(new Float32Array(DIMS), 1, [])).catch((error: unknown) => error);
    expect(late).to.be.instanceOf(SearchUnavailableError);
  });
});

describe('a database without pgvector', () => {
  it('says what to do', async () => {
    const database = await temporaryDatabase();
    const owner = await openClient(database.url);
    const url = new URL(database.url);
    url.username = 'plain';
    try {
      await owner.query(`create role plain login; grant create on database ${url.pathname.slice(1)} to plain`);
      await owner.query('create schema adjacent authorization plain');
      const failed = await openVectorStore({ url: url.href, log: { info() {}, error() {} } }).catch(
        (error: unknown) => error,
      );
      expect(failed).to.be.instanceOf(NoVectorsError);
      // Depends on whether pgvector is installed on the machine.
      expect(String(failed)).to.match(
        /SEARCH=pgvector: .*(install it there|have a superuser run there: create extension)/,
      );
    } finally {
      await owner.query('drop owned by plain; drop role plain').catch(() => undefined);
      await owner.end();
      await database.drop();
    }
  });
});
