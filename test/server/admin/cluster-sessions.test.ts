import { expect } from 'chai';
import { createHmac } from 'node:crypto';
import { type Cluster, openCluster } from '../../../platform/cluster/cluster.js';
import { CLUSTER_STEPS } from '../../../platform/cluster/schema.js';
import { openClient } from '../../../platform/postgres/connection.js';
import { migrate } from '../../../platform/postgres/migrate.js';
import { clusterSessions } from '../../../server/admin/session/cluster-sessions.js';
import { MAX_SESSIONS } from '../../../server/admin/session/sessions.js';
import { addNotice } from '../../../server/admin/rendering/show.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/postgres.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('sessions in a cluster', () => {
  const notice = { kind: 'key', id: 'key_1', publisher: 'Shop', key: 'pub_secret' } as const;
  const token = 'a-token-of-the-tests';
  const onNodes = () => nodes.map((node) => clusterSessions(node, token));
  let database: TemporaryDatabase;
  let nodes: Cluster[];
  beforeEach(async () => {
    database = await temporaryDatabase();
    nodes = [];
    for (let node = 0; node < 2; node++)
      nodes.push(await openCluster({ url: database.url, dataDir: temporaryDirectory() }));
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await database.drop();
  });

  it('start on one node, continue on another, and end on all', async () => {
    const [one, other] = onNodes();
    const id = await one!.create('ADMIN_TOKEN');
    const session = await other!.find(id);
    expect(session).to.deep.include({ notices: [] });
    expect(session?.formToken).to.equal((await one!.find(id))?.formToken);
    await other!.end(id);
    expect(await one!.find(id)).to.equal(undefined);
    expect(await one!.find(undefined)).to.equal(undefined);
  });

  it('show a notice of one node on another, once, and the database cannot be used to read it', async () => {
    const [one, other] = onNodes();
    const id = await one!.create('ADMIN_TOKEN');
    const session = (await one!.find(id))!;
    addNotice(session, notice);
    await one!.saveNotices(id, session);
    const { rows } = await nodes[0]!.pool.query<{ notice: Buffer }>('select notice from admin_sessions');
    expect(rows[0]?.notice.toString('latin1')).to.not.include('pub_secret');
    const shown = (await other!.find(id))!;
    expect(shown.notices).to.deep.equal([notice]);
    shown.notices = [];
    await other!.saveNotices(id, shown);
    expect((await one!.find(id))?.notices).to.deep.equal([]);
  });

  it('show the notices of simultaneous changes, and none that was shown meanwhile', async () => {
    const [one, other] = onNodes();
    const id = await one!.create('ADMIN_TOKEN');
    const first = (await one!.find(id))!;
    addNotice(first, notice);
    await one!.saveNotices(id, first);
    const [saying, notifying, alsoNotifying] = [
      (await one!.find(id))!,
      (await one!.find(id))!,
      (await other!.find(id))!,
    ];
    saying.notices = [];
    addNotice(notifying, { ...notice, id: 'key_2' });
    addNotice(alsoNotifying, { ...notice, id: 'key_3' });
    await Promise.all([
      one!.saveNotices(id, notifying),
      other!.saveNotices(id, alsoNotifying),
      one!.saveNotices(id, saying),
    ]);
    const ids = (await one!.find(id))!.notices.map((each) => each.kind === 'key' && each.id);
    expect(ids).to.have.members(['key_2', 'key_3']);
  });

  it('end when the administration token changes', async () => {
    const id = await clusterSessions(nodes[0]!, token).create('ADMIN_TOKEN');
    expect(await clusterSessions(nodes[0]!, `${token}x`).find(id)).to.equal(undefined);
    expect(await clusterSessions(nodes[1]!, token).find(id)).to.not.equal(undefined);
  });

  it('keep the access token that each was opened with, and one token’s sign-ins end no other’s session', async () => {
    const [one, other] = onNodes();
    const admin = await one!.create('ADMIN_TOKEN');
    const viewers: string[] = [];
    for (let number = 0; number <= MAX_SESSIONS; number++) viewers.push(await one!.create('of-a-viewer'));
    expect((await other!.find(admin))?.tokenId).to.equal('ADMIN_TOKEN');
    expect(await other!.find(viewers[0])).to.equal(undefined);
    expect((await other!.find(viewers[1]))?.tokenId).to.equal('of-a-viewer');
  });

  it('are not found by a release that knows no access tokens, nor its own by this one', async () => {
    const id = await clusterSessions(nodes[0]!, token).create('of-a-viewer');
    const earlier = createHmac('sha256', token).update(id).digest('hex');
    const { rows } = await nodes[0]!.pool.query('select 1 from admin_sessions where digest = $1', [earlier]);
    expect(rows).to.deep.equal([]);
    const old = await temporaryDatabase();
    const client = await openClient(old.url);
    await migrate(client, 'cluster', CLUSTER_STEPS.slice(0, 2));
    await client.query("insert into admin_sessions (digest, form_token) values ('of the earlier release', 'x')");
    await client.end();
    const upgraded = await openCluster({ url: old.url, dataDir: temporaryDirectory() });
    expect((await upgraded.pool.query('select 1 from admin_sessions')).rows).to.deep.equal([]);
    const found = await clusterSessions(upgraded, token).find(await clusterSessions(upgraded, token).create('x'));
    expect(found?.tokenId).to.equal('x');
    await upgraded.pool.query(
      "insert into admin_sessions (digest, form_token) values ('of a node not yet upgraded', 'x')",
    );
    await upgraded.close();
    await old.drop();
  });

  it('end after two hours without use, and after twelve in any case', async () => {
    const sessions = clusterSessions(nodes[0]!, token);
    const [idle, old] = [await sessions.create('ADMIN_TOKEN'), await sessions.create('ADMIN_TOKEN')];
    await nodes[0]!.pool.query("update admin_sessions set used_at = now() - interval '119 minutes'");
    expect(await sessions.find(idle)).to.not.equal(undefined);
    await nodes[0]!.pool.query("update admin_sessions set used_at = now() - interval '121 minutes'");
    expect(await sessions.find(idle)).to.equal(undefined);
    await nodes[0]!.pool.query("update admin_sessions set used_at = now(), started_at = now() - interval '12 hours'");
    expect(await sessions.find(old)).to.equal(undefined);
  });
});
