import { expect } from 'chai';
import { mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { pino } from 'pino';
import { readAudit } from '../../../models/audit/read-audit.js';
import { type Cluster, openCluster } from '../../../platform/cluster/cluster.js';
import { replaceDocument } from '../../../platform/cluster/documents.js';
import { changeKeys } from '../../../server/keys/change-keys.js';
import { createKey, deactivateKey } from '../../../server/keys/key-operations.js';
import { keyStore } from '../../../server/keys/key-file.js';
import { followSigningKeys, openSigningKeys } from '../../../server/request-id/signing-key-file.js';
import { rotatedKeys, signingKeyStore } from '../../../server/request-id/stored-signing-keys.js';
import { followStore } from '../../../server/stores/followed-store.js';
import { type TakedownFile, takedownStore } from '../../../server/takedown/takedown-file.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a store that nodes share', () => {
  const key = { publisher: 'Shop', test: false, origins: [], requestsPerMinute: null, expiresAt: null };
  const by = { via: 'command', user: 'anna', host: 'one' } as const;
  let database: TemporaryDatabase;
  let one: Cluster;
  let other: Cluster;
  beforeEach(async () => {
    database = await temporaryDatabase();
    [one, other] = [await join(), await join()];
  });
  afterEach(async () => {
    await Promise.all([one.close(), other.close()]);
    await database.drop();
  });

  const join = (): Promise<Cluster> => openCluster({ url: database.url, dataDir: temporaryDirectory() });
  const storeOf = (cluster: Cluster) => keyStore(cluster.dataDir, cluster);
  const auditedOf = (cluster: Cluster) => ({ dataDir: cluster.dataDir, cluster, by, action: 'keys create', now: 0 });

  it('has a change by one node on the other, with the audit entry', async () => {
    const { stored } = await changeKeys(storeOf(one), auditedOf(one), (file) => createKey(file, key, 0));
    expect((await storeOf(one).read()).keys).to.deep.equal([stored]);
    await other.refresh();
    expect((await storeOf(other).read()).keys).to.deep.equal([stored]);
    const { entries } = await readAudit(other.dataDir);
    const entry = entries.find(({ subject }) => subject.kind === 'key');
    expect([entry?.by, entry?.action, entry?.subject.name]).to.deep.equal([by, 'keys create', stored.id]);
  });

  it('loses no concurrent change by two nodes, even if neither has seen the other’s', async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => storeOf(at % 2 ? one : other).change((file) => createKey(file, key, 0))),
    );
    await one.refresh();
    expect((await storeOf(one).read()).keys).to.have.length(10);
  });

  it('records nothing of a change that cannot be written', async () => {
    const store = storeOf(one);
    const failed = await changeKeys(store, auditedOf(one), (file) => deactivateKey(file, 'key_none', 0)).catch(String);
    expect(failed).to.contain('key_none');
    await one.pool.query(
      'alter table shared_parts add constraint short check (content is null or length(content) < 50)',
    );
    const refused = await changeKeys(store, auditedOf(one), (file) => createKey(file, key, 0)).catch(String);
    expect(refused).to.contain('violates check constraint');
    await other.refresh();
    expect((await readAudit(other.dataDir)).entries).to.deep.equal([]);
  });

  it('is followed from the database while this node cannot write its copy, which is written once that is possible', async () => {
    const at = new Date(0).toISOString();
    const takedowns = takedownStore(other.dataDir, other);
    const down = (id: string) =>
      takedownStore(one.dataDir, one).change((file) => {
        file.creatives.push({ id, reason: null, at, images: [] });
      });
    await down('boots');
    await other.refresh();
    const log = { info: () => undefined, error: () => undefined };
    const followed = await followStore({ store: takedowns, log, name: 'takedowns', pollMs: 10 });
    const ids = (file: TakedownFile): string[] => file.creatives.map(({ id }) => id);
    try {
      rmSync(takedowns.path);
      mkdirSync(takedowns.path);
      for (const id of ['socks', 'rake']) {
        await down(id);
        expect(await other.refresh().catch(String)).to.match(/EISDIR|ENOTEMPTY|EEXIST/);
        expect(ids(await takedowns.read()).at(-1)).to.equal(id);
        await eventually(() => expect(ids(followed.current).at(-1)).to.equal(id));
      }
      rmdirSync(takedowns.path);
      await other.refresh();
      const copy = JSON.parse(readFileSync(takedowns.path, 'utf8')) as TakedownFile;
      expect(ids(copy)).to.deep.equal(['boots', 'socks', 'rake']);
      await down('tea');
      await other.refresh();
      await eventually(() => expect(ids(followed.current).at(-1)).to.equal('tea'));
    } finally {
      await followed.close();
    }
  });

  it('reports invalid content in the database', async () => {
    await replaceDocument(one, 'keys.json', '{"version":7}');
    const refused = await storeOf(one)
      .change((file) => createKey(file, key, 0))
      .catch(String);
    expect(refused).to.contain('DamagedStoreError: keys.json in the database cannot be used');
  });

  it('issues with a new signing key after every node has had a minute to receive it', async () => {
    let moment = 0;
    const options = { windowMs: 86_400_000, clock: () => moment, log: pino({ level: 'silent' }), pollMs: 10 };
    const nodes = await Promise.all(
      [one, other].map((cluster) => followSigningKeys({ ...options, cluster, dataDir: cluster.dataDir })),
    );
    try {
      const [here, there] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
      const old = here.current.issuing.id;
      moment = 1000;
      await signingKeyStore(one.dataDir, one).change((file) => {
        file.keys = rotatedKeys(file.keys, moment);
      });
      await eventually(() => expect(here.current.keys).to.have.length(2));
      // The other node does not have the new key yet, and must know the key of every served ad.
      expect([here.current.issuing.id, there.current.keys.length]).to.deep.equal([old, 1]);
      await other.refresh();
      await eventually(() => expect(there.current.keys).to.have.length(2));
      moment = 60_999;
      expect(here.current.issuing.id).to.equal(old);
      moment = 61_000;
      const [issuing] = nodes.map(({ current }) => current.issuing.id);
      expect(issuing).not.to.equal(old);
      expect(there.current.issuing.id).to.equal(issuing);
      expect(there.current.find(old)).not.to.equal(undefined);
    } finally {
      await Promise.all(nodes.map((node) => node.close()));
    }
  });

  it('has one installation and the same signing keys on all nodes that start at once', async () => {
    const rings = await Promise.all(
      [one, other].map((cluster) => openSigningKeys(cluster.dataDir, 0, 1000, { cluster })),
    );
    const [first, second] = rings.map(({ current }) => [current.installation, current.issuing.id, current.keys.length]);
    expect(first).to.deep.equal(second);
    await one.refresh();
    expect((await signingKeyStore(one.dataDir, one).read()).keys).to.have.length(1);
  });
});
