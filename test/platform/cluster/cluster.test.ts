import { expect } from 'chai';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type Cluster, openCluster } from '../../../platform/cluster/cluster.js';
import { refuseCopy } from '../../../platform/cluster/copy-mark.js';
import { isDatabaseUnreachable } from '../../../platform/cluster/database-unreachable.js';
import { changeDocument, replaceDocument, getOrCreateDocument } from '../../../platform/cluster/documents.js';
import { shareFiles, unshareFiles } from '../../../platform/cluster/files.js';
import { followCluster } from '../../../platform/cluster/follow.js';
import { appendToLog, appendWithin } from '../../../platform/cluster/logs.js';
import { cuttableLink } from '../../support/cuttable-link.js';
import { eventually } from '../../support/eventually.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a cluster', () => {
  let database: TemporaryDatabase;
  let nodes: Cluster[];
  beforeEach(async () => {
    database = await temporaryDatabase();
    nodes = [];
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await database.drop();
  });

  const join = async (dataDir = temporaryDirectory()): Promise<Cluster> => {
    const node = await openCluster({ url: database.url, dataDir });
    nodes.push(node);
    return node;
  };
  const copy = ({ dataDir }: Cluster, name: string): string => readFileSync(path.join(dataDir, name), 'utf8');

  it('copies a document to the DATA_DIR of each node, readable only by its owner', async () => {
    const [one, other] = [await join(), await join()];
    await replaceDocument(one, 'keys.json', '{"a":1}');
    expect(copy(one, 'keys.json')).to.equal('{"a":1}');
    await other.refresh();
    expect(copy(other, 'keys.json')).to.equal('{"a":1}');
    expect(statSync(path.join(other.dataDir, 'keys.json')).mode & 0o077).to.equal(0);
  });

  it('serializes the changes of two nodes and loses none', async () => {
    const both = [await join(), await join()];
    const add = (node: Cluster): Promise<void> =>
      changeDocument(node, 'count', async (text) => ({ text: String(Number(text ?? 0) + 1), result: undefined }));
    await Promise.all(Array.from({ length: 20 }, (_, at) => add(both[at % 2]!)));
    await both[0]!.refresh();
    expect(copy(both[0]!, 'count')).to.equal('20');
  });

  it('updates the copy of a node to what its change has seen, even if the change writes nothing', async () => {
    const [one, other] = [await join(), await join()];
    await getOrCreateDocument(one, 'signing-keys.json', () => 'made by one');
    await getOrCreateDocument(other, 'signing-keys.json', () => 'made by the other');
    expect(copy(other, 'signing-keys.json')).to.equal('made by one');
  });

  it('rolls back a failed change and whatever else it did in its transaction', async () => {
    const node = await join();
    const failed = await changeDocument(node, 'keys.json', async (_, transaction) => {
      await appendWithin(transaction, 'audit.jsonl', ['entry']);
      throw new Error('no');
    }).catch(String);
    expect(failed).to.equal('Error: no');
    await node.refresh();
    expect(existsSync(path.join(node.dataDir, 'keys.json'))).to.equal(false);
    expect(existsSync(path.join(node.dataDir, 'audit.jsonl'))).to.equal(false);
  });

  it('changes nothing, and keeps the process running, when the connection is lost during a change', async () => {
    const node = await join();
    const failed = await changeDocument(node, 'keys.json', async (_, transaction) => {
      const { rows } = await transaction.query<{ pid: number }>('select pg_backend_pid() as pid');
      await node.pool.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { text: '{}', result: undefined };
    }).catch((error: unknown) => error);
    expect(isDatabaseUnreachable(failed), String(failed)).to.equal(true);
    await replaceDocument(node, 'keys.json', '{"again":1}');
    expect(copy(node, 'keys.json')).to.equal('{"again":1}');
  });

  it('reports an unknown outcome when the connection is lost during the commit', async () => {
    const node = await join();
    await node.pool.query(`
      create function doze() returns trigger language plpgsql as 'begin perform pg_sleep(20); return null; end';
      create constraint trigger slow after update on shared_parts deferrable initially deferred
        for each row when (new.name = 'keys.json') execute function doze()`);
    let lost: Promise<unknown> | undefined;
    const loseAsleep = async (pid: number | undefined): Promise<void> => {
      const doing = 'select wait_event from pg_stat_activity where pid = $1';
      const asleep = [{ wait_event: 'PgSleep' }];
      await eventually(async () => expect((await node.pool.query(doing, [pid])).rows).to.deep.equal(asleep), 15_000);
      await node.pool.query('select pg_terminate_backend($1)', [pid]);
    };
    const failed = await changeDocument(node, 'keys.json', async (_, transaction) => {
      const { rows } = await transaction.query<{ pid: number }>('select pg_backend_pid() as pid');
      lost = loseAsleep(rows[0]?.pid);
      return { text: '{}', result: undefined };
    }).catch(String);
    await lost;
    expect(failed).to.contain('UnknownOutcomeError').and.contain('may have been made; look before you repeat it');
  });

  it('drops the connection to a server that refuses writes, so that the next change succeeds', async () => {
    const node = await join();
    // Set on the pool's only connection, which then behaves like one to a demoted server.
    await node.pool.query('set default_transaction_read_only = on');
    const refused = await replaceDocument(node, 'keys.json', '{}').catch((error: unknown) => error);
    expect(refused).to.have.property('code', '25006');
    expect(isDatabaseUnreachable(refused)).to.equal(true);
    await replaceDocument(node, 'keys.json', '{}');
    expect(copy(node, 'keys.json')).to.equal('{}');
  });

  it('serializes changes on a database whose default isolation level is serializable', async () => {
    const url = `${database.url}?options=${encodeURIComponent('-c default_transaction_isolation=serializable')}`;
    const node = await openCluster({ url, dataDir: temporaryDirectory() });
    nodes.push(node);
    const add = (): Promise<void> =>
      changeDocument(node, 'count', async (text) => ({ text: String(Number(text ?? 0) + 1), result: undefined }));
    await Promise.all(Array.from({ length: 10 }, add));
    expect(copy(node, 'count')).to.equal('10');
  });

  it('lets only one of several nodes that start at once create a document', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => join()));
    const settled = await Promise.all(
      all.map((node, at) => getOrCreateDocument(node, 'admin-token', () => `token ${at}`)),
    );
    expect(new Set(settled.map(({ text }) => text)).size).to.equal(1);
    expect(settled.filter(({ made }) => made)).to.have.length(1);
  });

  it('restores a copy that was edited', async () => {
    const node = await join();
    await replaceDocument(node, 'keys.json', '{}');
    writeFileSync(path.join(node.dataDir, 'keys.json'), '{"edited":true}');
    await node.refresh();
    expect(copy(node, 'keys.json')).to.equal('{}');
  });

  it('restores a copy that another process replaces with an older one at the same moment', async () => {
    const node = await join();
    const place = path.join(node.dataDir, 'keys.json');
    let armed = false;
    // Acts as a process that had read the older document: writes it right after the newer copy arrives.
    const watcher = watch(node.dataDir, (_, name) => {
      if (!armed || name !== 'keys.json') return;
      armed = false;
      writeFileSync(`${place}.old`, '{"older":true}');
      renameSync(`${place}.old`, place);
    });
    try {
      for (let at = 0; at < 20; at++) {
        armed = true;
        await replaceDocument(node, 'keys.json', `{"at":${at}}`);
        await eventually(() => expect(armed).to.equal(false));
        await node.refresh();
        expect(copy(node, 'keys.json')).to.equal(`{"at":${at}}`);
      }
    } finally {
      watcher.close();
    }
  });

  it('gives every copy of a log the same bytes, whichever node appends and however short the copy was', async () => {
    const [one, other] = [await join(), await join()];
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => appendToLog(at % 2 ? one : other, 'audit.jsonl', [`entry ${at}`, 'é'])),
    );
    const third = await join();
    const whole = copy(third, 'audit.jsonl');
    expect(whole.split('\n')).to.have.length(21);
    await Promise.all([one.refresh(), other.refresh()]);
    expect([copy(one, 'audit.jsonl'), copy(other, 'audit.jsonl')]).to.deep.equal([whole, whole]);
    // A node that was killed while it wrote.
    const cut = temporaryDirectory();
    await (await openCluster({ url: database.url, dataDir: cut })).close();
    writeFileSync(path.join(cut, 'audit.jsonl'), Buffer.from(whole).subarray(0, 25));
    await join(cut);
    expect(readFileSync(path.join(cut, 'audit.jsonl'), 'utf8')).to.equal(whole);
  });

  it('copies the other parts when one cannot be written', async () => {
    const [one, other] = [await join(), await join()];
    mkdirSync(path.join(other.dataDir, 'audit.jsonl'));
    mkdirSync(path.join(other.dataDir, 'campaigns.json'));
    await replaceDocument(one, 'campaigns.json', '{"campaigns":1}');
    await appendToLog(one, 'audit.jsonl', ['entry']);
    await replaceDocument(one, 'keys.json', '{"keys":1}');
    await replaceDocument(one, 'taken-down.json', '{"down":1}');
    expect(await other.refresh().catch(String)).to.match(/EISDIR|ENOTEMPTY|EEXIST/);
    expect([copy(other, 'keys.json'), copy(other, 'taken-down.json')]).to.deep.equal(['{"keys":1}', '{"down":1}']);
    rmdirSync(path.join(other.dataDir, 'audit.jsonl'));
    rmdirSync(path.join(other.dataDir, 'campaigns.json'));
    await other.refresh();
    expect([copy(other, 'audit.jsonl'), copy(other, 'campaigns.json')]).to.deep.equal(['entry\n', '{"campaigns":1}']);
  });

  it('reports a node as out of date while a part cannot be written, and logs each such period and its end once', async () => {
    const [one, other] = [await join(), await join()];
    const logged: string[] = [];
    const keep = (_: object, message: string): void => void logged.push(message);
    const log = { info: keep, error: keep };
    const looks = [other.refresh, async () => {}, () => other.refresh()];
    const following = await followCluster(other, { looks, log, pollMs: 20 });
    const fault = 'shared data cannot be copied into DATA_DIR';
    const place = path.join(other.dataDir, 'audit.jsonl');
    try {
      for (const times of [1, 2]) {
        mkdirSync(place);
        await appendToLog(one, 'audit.jsonl', [`entry ${times}`]);
        await eventually(() => expect(following.silentMs()).to.be.above(1000), 15_000);
        expect(logged).to.deep.equal([fault]);
        rmdirSync(place);
        await eventually(() => expect(logged).to.deep.equal([fault, 'shared data can be copied again']));
        logged.length = 0;
        await eventually(() => expect(following.silentMs()).to.be.below(500));
        expect(copy(other, 'audit.jsonl').trim().split('\n')).to.have.length(times);
        rmSync(place);
      }
    } finally {
      await following.close();
    }
  });

  it('logs a DATA_DIR that takes no new files once, although each attempt names another draft', async () => {
    const [one, other] = [await join(), await join()];
    const logged: unknown[] = [];
    const log = { info: () => undefined, error: ({ err }: { err?: unknown }) => void logged.push(err) };
    let looks = 0;
    const look = (): Promise<void> => (looks++, other.refresh());
    const following = await followCluster(other, { looks: [look], log, pollMs: 20 });
    const away = `${other.dataDir}-away`;
    try {
      renameSync(other.dataDir, away);
      await replaceDocument(one, 'keys.json', '{}');
      const before = looks;
      await eventually(() => expect(looks).to.be.above(before + 5));
      expect(logged.map(String)).to.have.length(1);
      expect(String(logged[0])).to.contain(`'${path.join(other.dataDir, 'keys.json')}'`);
    } finally {
      await following.close();
      renameSync(away, other.dataDir);
    }
  });

  it('counts a node as up to date while its catalogue is slow or cannot be fetched', async () => {
    const node = await join();
    const log = { info: () => undefined, error: () => undefined };
    const looks = [
      node.refresh,
      () => new Promise<void>((resolve) => void setTimeout(resolve, 6000)),
      () => Promise.reject(new Error('no node shares it')),
    ];
    const following = await followCluster(node, { looks, log, pollMs: 20 });
    try {
      const began = performance.now();
      let longest = 0;
      while (performance.now() - began < 4000) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        longest = Math.max(longest, following.silentMs());
      }
      expect(longest).to.be.below(3000);
    } finally {
      await following.close();
    }
  });

  it('announces a change to the nodes that follow it', async () => {
    const [one, other] = [await join(), await join()];
    const log = { info: () => undefined, error: () => undefined };
    // The poll interval is so long that only the announcement can trigger the copy.
    const following = await followCluster(other, { looks: [other.refresh], log, pollMs: 60_000 });
    try {
      await eventually(async () => {
        await replaceDocument(one, 'keys.json', String(performance.now()));
        await eventually(() => expect(copy(other, 'keys.json')).to.equal(copy(one, 'keys.json')), 1000);
      });
    } finally {
      await following.close();
    }
  });

  it('finds changes by polling when the listener is lost, and opens a new listener', async () => {
    const [one, other] = [await join(), await join()];
    const faults: string[] = [];
    const log = { info: () => undefined, error: (_: object, message: string) => void faults.push(message) };
    const following = await followCluster(other, { looks: [other.refresh], log, pollMs: 100 });
    const listeners = async (): Promise<number> =>
      (
        await one.pool.query(
          "select 1 from pg_stat_activity where query = 'listen adjacent' and datname = current_database()",
        )
      ).rows.length;
    try {
      await eventually(async () => expect(await listeners()).to.equal(1));
      await one.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen adjacent'");
      await replaceDocument(one, 'keys.json', '{}');
      await eventually(() => expect(copy(other, 'keys.json')).to.equal('{}'));
      await eventually(async () => expect(await listeners()).to.equal(1));
      // Measured since the last look, not since the first.
      await eventually(() => expect(following.silentMs()).to.be.below(100));
    } finally {
      await following.close();
    }
  });

  it('closes within seconds when the network drops all packets', async () => {
    const url = new URL(database.url);
    const link = await cuttableLink(Number(url.port));
    url.port = String(link.port);
    const node = await openCluster({ url: url.href, dataDir: temporaryDirectory() });
    const log = { info: () => undefined, error: () => undefined };
    const following = await followCluster(node, { looks: [node.refresh], log, pollMs: 50 });
    try {
      link.dropPackets();
      await new Promise((resolve) => setTimeout(resolve, 200));
      const began = performance.now();
      await following.close();
      await node.close();
      expect(performance.now() - began).to.be.below(8000);
    } finally {
      await link.cut();
    }
  });

  it('stores equal bytes of files once, for as long as a file has them', async () => {
    const node = await join();
    const bytes = Buffer.alloc((5 << 20) / 2, 'vectors');
    for (const name of ['one', 'two']) writeFileSync(path.join(node.dataDir, name), bytes);
    await shareFiles(node, ['one', 'two']);
    const chunks = async () => Number((await node.pool.query('select count(*) as n from shared_chunks')).rows[0].n);
    expect(await chunks()).to.equal(3);
    await unshareFiles(node, ['one']);
    expect(await chunks()).to.equal(3);
    await unshareFiles(node, ['two']);
    expect(await chunks()).to.equal(0);
  });

  it('removes any number of chunks left by a killed writer, and no chunk of a listed file', async () => {
    const node = await join();
    writeFileSync(path.join(node.dataDir, 'one'), 'vectors');
    await shareFiles(node, ['one']);
    await node.pool.query(
      `insert into shared_chunks (sha256, place, content)
       select repeat('0', 64), place, '\\x00' from generate_series(0, 449) as place`,
    );
    const chunks = async () => Number((await node.pool.query('select count(*) as n from shared_chunks')).rows[0].n);
    expect(await chunks()).to.equal(451);
    await unshareFiles(node, []);
    expect(await chunks()).to.equal(1);
  });

  it('lists no file until all its bytes are stored', async () => {
    const node = await join();
    writeFileSync(path.join(node.dataDir, 'one'), Buffer.alloc((5 << 20) / 2, 'vectors'));
    // Simulates another writer that removes chunks which are not listed yet.
    await node.pool.query(`
      create function lose() returns trigger language plpgsql as 'begin return null; end';
      create trigger lost before insert on shared_chunks for each row when (new.place = 1) execute function lose()`);
    expect(await shareFiles(node, ['one']).catch(String)).to.contain('one is incomplete in the database');
    expect((await node.pool.query('select path from shared_files')).rows).to.deep.equal([]);
    await node.pool.query('drop trigger lost on shared_chunks');
    await shareFiles(node, ['one']);
    expect((await node.pool.query('select path from shared_files')).rows).to.deep.equal([{ path: 'one' }]);
  });

  it('refuses a DATA_DIR that is an installation of its own or a copy of another database', async () => {
    const own = temporaryDirectory();
    writeFileSync(path.join(own, 'keys.json'), '{}');
    expect(await join(own).catch(String)).to.contain('holds an installation of its own (keys.json)');
    const node = await join();
    const another = await temporaryDatabase();
    try {
      const refused = await openCluster({ url: another.url, dataDir: node.dataDir }).catch(String);
      expect(refused).to.contain('is the copy of another database');
    } finally {
      await another.drop();
    }
    expect(() => refuseCopy(node.dataDir)).to.throw("is a node's copy of a database: set DATABASE_URL");
  });

  it('names an unreachable database without its password', async () => {
    const url = 'postgres://adjacent:secret@127.0.0.1:1/ads';
    const message = await openCluster({ url, dataDir: temporaryDirectory() }).catch(String);
    expect(message).to.contain('DATABASE_URL: 127.0.0.1:1/ads cannot be reached').and.not.contain('secret');
  });
});
